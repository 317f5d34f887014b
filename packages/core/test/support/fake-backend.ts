import { LockError } from '@holdfast/core';
import {
  type Attempt,
  type Backend,
  type Capabilities,
  type Contender,
  type ContendRequest,
  type Grant,
  type Release,
  type Renewal,
  validityMs,
  type Withdrawal,
} from '@holdfast/core/backend';
import type { SimProcess } from '@holdfast/harness/simulator';

/** More than any test needs. */
const CALLS_MAX = 20_000;

/** One call that core made to the backend. */
export interface Call {
  readonly what:
    | 'contend'
    | 'attempt'
    | 'withdraw'
    | 'renew'
    | 'release'
    | 'releaseToNext'
    | 'changed'
    | 'close';
  readonly atMs: number;
  readonly contender: string;
  /** For a renewal the requested ttl, for an attempt its time limit. */
  readonly ms: number;
  readonly request: ContendRequest;
}

/** Computes the reply to a call. */
export type ReplyFunction<T> = (call: Call, process: SimProcess) => T | Promise<T>;

/** A planned reply: a value, sent at once; a promise; or a function of the call. */
export type PlannedReply<T> = T | Promise<T> | ReplyFunction<T>;

/** The replies in order; the last one is repeated. */
export interface Plan {
  readonly capabilities?: Partial<Capabilities>;
  readonly attempts?: readonly PlannedReply<Attempt>[];
  readonly renewals?: readonly PlannedReply<Renewal>[];
  readonly releases?: readonly PlannedReply<Release>[];
  readonly withdrawals?: readonly PlannedReply<Withdrawal>[];
  /** Absent: the backend cannot wake a waiter. */
  readonly changed?: (signal: AbortSignal) => Promise<void>;
  /** True: its leases can be handed over. */
  readonly adopts?: boolean;
  /** True: a holder can release its key to the next attempt alone. */
  readonly passesOn?: boolean;
}

const CAPABILITIES: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'cp',
  fencing: 'strict',
  queue: 'none',
  wakeUp: 'poll',
};

/** A backend with planned replies, which records its calls. */
export class FakeBackend implements Backend {
  readonly name = 'fake';
  readonly capabilities: Capabilities;
  readonly calls: Call[] = [];
  readonly adopt?: (request: ContendRequest) => Contender;
  readonly #process: SimProcess;
  readonly #plan: Plan;

  constructor(process: SimProcess, plan: Plan) {
    this.#process = process;
    this.#plan = plan;
    this.capabilities = { ...CAPABILITIES, ...plan.capabilities };
    if (plan.adopts === true) this.adopt = (request) => this.contend(request);
  }

  /** The times of its calls, in ms since the start of the world. */
  times(what: Call['what']): number[] {
    return this.calls.filter((call) => call.what === what).map(({ atMs }) => atMs);
  }

  contend(request: ContendRequest): Contender {
    this.#record('contend', request);
    const { attempts = [granted()], withdrawals = [{ kind: 'clean' }], changed } = this.#plan;
    return {
      attempt: async (deadlineMs) => {
        const ms = deadlineMs - this.#process.clocks.monotonicMs;
        const attempt = await this.#reply(attempts, this.#record('attempt', request, ms));
        return attempt.kind === 'granted'
          ? { ...attempt, grant: this.#recorded(attempt.grant, request) }
          : attempt;
      },
      withdraw: async () => await this.#reply(withdrawals, this.#record('withdraw', request)),
      ...(changed && { changed: (signal) => this.#record('changed', request) && changed(signal) }),
    };
  }

  async close(): Promise<void> {
    this.#record('close', { key: '', contender: '' });
  }

  /** Wraps a grant: its calls are recorded, with replies from the plan. */
  #recorded(grant: Grant, request: ContendRequest): Grant {
    const { renewals = [renewed()], releases = [{ kind: 'released' }], passesOn } = this.#plan;
    return {
      ...grant,
      release: async () => await this.#reply(releases, this.#record('release', request)),
      ...(passesOn === true && {
        releaseToNext: async () =>
          await this.#reply(releases, this.#record('releaseToNext', request)),
      }),
      ...(this.adopt && { export: () => grant.owner }),
      ...(grant.renew && {
        renew: async (ms) => await this.#reply(renewals, this.#record('renew', request, ms)),
      }),
    };
  }

  #record(what: Call['what'], request: ContendRequest, ms = 0): Call {
    // Virtual time does not advance in a hot loop, so the test would hang.
    if (this.calls.length > CALLS_MAX) throw new Error(`more than ${CALLS_MAX} calls`);
    const { nowMs: atMs } = this.#process;
    const call: Call = { what, atMs, contender: request.contender, ms, request };
    this.calls.push(call);
    return call;
  }

  #reply<T>(replies: readonly PlannedReply<T>[], call: Call): T | Promise<T> {
    const count = this.times(call.what).length;
    const reply = replies[count - 1] ?? replies.at(-1);
    if (reply === undefined) throw new Error(`no reply to ${call.what}`);
    return replyTo(reply, call, this.#process);
  }
}

function isReplyFunction<T>(reply: PlannedReply<T>): reply is ReplyFunction<T> {
  return typeof reply === 'function';
}

function replyTo<T>(reply: PlannedReply<T>, call: Call, process: SimProcess): T | Promise<T> {
  return isReplyFunction(reply) ? reply(call, process) : reply;
}

/** Granted, from the send time; `details` replaces the parts that matter to the test. */
export function granted(details: Partial<Grant> = {}): ReplyFunction<Attempt> {
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
export function grantedFor(ms: number): ReplyFunction<Attempt> {
  return (call, process) => granted({ validity: { from: process.clocks, ms } })(call, process);
}

/** A grant that cannot be renewed. */
export function grantedFixed(): ReplyFunction<Attempt> {
  return async (call, process) => {
    const attempt = await granted()(call, process);
    if (attempt.kind === 'granted') delete attempt.grant.renew;
    return attempt;
  };
}

/** Renewed for the requested ttl, from the send time. */
export function renewed(): ReplyFunction<Renewal> {
  return ({ ms }, process) => ({
    kind: 'renewed',
    validity: { from: process.clocks, ms: validityMs(ms) },
  });
}

/** Delays a reply by `ms`. It is computed when the call arrives, as by a store whose reply is slow. */
export function late<T>(ms: number, reply: PlannedReply<T>): ReplyFunction<T> {
  return async (call, process) => {
    const value = replyTo(reply, call, process);
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

/** A promise that the test resolves. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  #resolve!: (value: T) => void;

  constructor() {
    this.promise = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  resolve(value: T): void {
    this.#resolve(value);
  }
}
