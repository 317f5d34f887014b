import {
  type Attempt,
  type Backend,
  type Capabilities,
  type Contender,
  type ContendRequest,
  type Grant,
  LockError,
  type Release,
  type Renewal,
  validityMs,
  type Withdrawal,
} from '@holdfast/core';
import type { SimProcess } from '@holdfast/harness/simulator';

/** More than any test needs. */
const CALLS_MAX = 20_000;

/** One call that core made to the backend. */
export interface Call {
  readonly what: 'contend' | 'attempt' | 'withdraw' | 'renew' | 'release' | 'changed' | 'close';
  readonly atMs: number;
  readonly contender: string;
  /** Of a renewal: the ttl asked for. Of an attempt: how long it may take. */
  readonly ms: number;
  readonly request: ContendRequest;
}

/** Makes an answer of the call. */
export type Made<T> = (call: Call, process: SimProcess) => T | Promise<T>;

/** What the backend answers: a value, at once; a promise; or what a function makes of the call. */
export type Answer<T> = T | Promise<T> | Made<T>;

/** Answers in order; the last one is given again and again. */
export interface Plan {
  readonly capabilities?: Partial<Capabilities>;
  readonly attempts?: readonly Answer<Attempt>[];
  readonly renewals?: readonly Answer<Renewal>[];
  readonly releases?: readonly Answer<Release>[];
  readonly withdrawals?: readonly Answer<Withdrawal>[];
  /** Absent: the backend cannot wake a waiter. */
  readonly changed?: (signal: AbortSignal) => Promise<void>;
}

const CAPABILITIES: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'none',
  wakeUp: 'poll',
};

/** A backend that does what the test says, and writes down what it was asked. */
export class FakeBackend implements Backend {
  readonly name = 'fake';
  readonly capabilities: Capabilities;
  readonly calls: Call[] = [];
  readonly #process: SimProcess;
  readonly #plan: Plan;

  constructor(process: SimProcess, plan: Plan) {
    this.#process = process;
    this.#plan = plan;
    this.capabilities = { ...CAPABILITIES, ...plan.capabilities };
  }

  /** When it was asked, in ms since the world began. */
  times(what: Call['what']): number[] {
    return this.calls.filter((call) => call.what === what).map(({ atMs }) => atMs);
  }

  contend(request: ContendRequest): Contender {
    this.#note('contend', request);
    const { attempts = [granted()], withdrawals = [{ kind: 'clean' }], changed } = this.#plan;
    return {
      attempt: async (deadlineMs) => {
        const ms = deadlineMs - this.#process.clocks.monotonicMs;
        const attempt = await this.#answer(attempts, this.#note('attempt', request, ms));
        return attempt.kind === 'granted'
          ? { ...attempt, grant: this.#noting(attempt.grant, request) }
          : attempt;
      },
      withdraw: async () => await this.#answer(withdrawals, this.#note('withdraw', request)),
      ...(changed && { changed: (signal) => this.#note('changed', request) && changed(signal) }),
    };
  }

  async close(): Promise<void> {
    this.#note('close', { key: '', contender: '' });
  }

  /** The same grant, its calls written down and answered by the plan. */
  #noting(grant: Grant, request: ContendRequest): Grant {
    const { renewals = [renewed()], releases = [{ kind: 'released' }] } = this.#plan;
    return {
      ...grant,
      release: async () => await this.#answer(releases, this.#note('release', request)),
      ...(grant.renew && {
        renew: async (ms) => await this.#answer(renewals, this.#note('renew', request, ms)),
      }),
    };
  }

  #note(what: Call['what'], request: ContendRequest, ms = 0): Call {
    // Virtual time stands still under a hot loop, and so would the test.
    if (this.calls.length > CALLS_MAX) throw new Error(`asked more than ${CALLS_MAX} times`);
    const { nowMs: atMs } = this.#process;
    const call: Call = { what, atMs, contender: request.contender, ms, request };
    this.calls.push(call);
    return call;
  }

  #answer<T>(answers: readonly Answer<T>[], call: Call): T | Promise<T> {
    const asked = this.times(call.what).length;
    const answer = answers[asked - 1] ?? answers.at(-1);
    if (answer === undefined) throw new Error(`no answer to ${call.what}`);
    return made(answer, call, this.#process);
  }
}

function isMade<T>(answer: Answer<T>): answer is Made<T> {
  return typeof answer === 'function';
}

function made<T>(answer: Answer<T>, call: Call, process: SimProcess): T | Promise<T> {
  return isMade(answer) ? answer(call, process) : answer;
}

/** Granted, as of the moment the request left; `details` replaces what the test cares about. */
export function granted(details: Partial<Grant> = {}): Made<Attempt> {
  return ({ request }, process) => {
    const leaseMs = request.ttlMs ?? 30_000;
    const grant: Grant = {
      owner: `${request.contender}:1:p`,
      fencingToken: 1n,
      leaseMs,
      validity: { from: process.clocks, ms: validityMs(leaseMs) },
      renew: async () => ({ kind: 'lost' }),
      release: async () => ({ kind: 'released' }),
      ...details,
    };
    return { kind: 'granted', grant };
  };
}

/** Granted, with only so much of its validity left. */
export function grantedFor(ms: number): Made<Attempt> {
  return (call, process) => granted({ validity: { from: process.clocks, ms } })(call, process);
}

/** A grant that cannot be renewed. */
export function grantedFixed(): Made<Attempt> {
  return async (call, process) => {
    const attempt = await granted()(call, process);
    if (attempt.kind === 'granted') delete attempt.grant.renew;
    return attempt;
  };
}

/** Renewed for as long as was asked, as of the moment the request left. */
export function renewed(): Made<Renewal> {
  return ({ ms }, process) => ({
    kind: 'renewed',
    validity: { from: process.clocks, ms: validityMs(ms) },
  });
}

/** The same answer, `ms` later; made when the call came, as by a store whose reply is slow. */
export function late<T>(ms: number, answer: Answer<T>): Made<T> {
  return async (call, process) => {
    const value = made(answer, call, process);
    await process.sleep(ms);
    return value;
  };
}

type Busy = Extract<Attempt, { kind: 'busy' }>;

export function busy(details: Omit<Busy, 'kind'> = {}): Attempt {
  return { kind: 'busy', ...details };
}

export const unknown = { kind: 'unknown', cause: new Error('no reply') } as const;
export const unavailable = { kind: 'unavailable', cause: new Error('connection refused') } as const;
export const refused = {
  kind: 'refused',
  error: new LockError('FOREIGN_KEY', 'the key is not ours'),
} as const;

/** An answer that comes when the test says so. */
export class Told<T> {
  readonly answer: Promise<T>;
  #resolve!: (value: T) => void;

  constructor() {
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  tell(value: T): void {
    this.#resolve(value);
  }
}
