import {
  type Attempt,
  type Backend,
  type Capabilities,
  type Contender,
  type ContendRequest,
  callDeadlineMs,
  type Grant,
  type HoldMode,
  type Host,
  type Instant,
  ownerValue,
  type Release,
  TTL_MS_DEFAULT,
  TTL_MS_MAX,
  validityMs,
  type Withdrawal,
} from '@holdfast/core/backend';
import { EXHIBIT_CAPABILITIES } from '../backend.ts';

/** One attempt of a naive lock. */
export interface NaiveCall {
  readonly key: string;
  readonly owner: string;
  readonly ttlMs: number;
  readonly mode?: HoldMode | undefined;
  /** A monotonic time. */
  readonly deadlineMs: number;
}

/** A lock over a store that is no Redis, as people write it. */
export interface NaiveLock {
  readonly name: string;
  /** The flaw that breaks it, as a clause. */
  readonly flaw: string;
  /** The end of a holder's belief: it never reads a clock, or counts the ttl from when it sent the request. */
  readonly validity: 'until-released' | 'from-request';
  /** The modes that it has, if not only exclusive holds. */
  readonly modes?: Capabilities['modes'];
  /** True if each caller of a process asks the store. Otherwise they queue within their process. */
  readonly asksForEach?: true;
  take(call: NaiveCall): Promise<boolean>;
  give(call: NaiveCall): Promise<boolean>;
  /** Ends what an owner that gives up has opened to wait. */
  leave?(owner: string): Promise<void>;
}

const POLL_MS = 100;

/** A naive lock as a backend; features that it lacks are not added. Opening it emits a `warning` event. */
export function openNaive(lock: NaiveLock, host: Host): Promise<Backend> {
  const { name, flaw, modes, asksForEach } = lock;
  const message = `${name} is an exhibit, not for use: ${flaw}`;
  host.emit({ type: 'warning', backend: name, code: 'exhibit', message });
  return Promise.resolve({
    name,
    capabilities: {
      ...EXHIBIT_CAPABILITIES,
      ...(modes && { modes }),
      ...(asksForEach && { queue: 'fifo' }),
    },
    contend: (request) => new NaiveContender(lock, host, request),
    close: () => Promise.resolve(),
  });
}

class NaiveContender implements Contender {
  readonly #lock: NaiveLock;
  readonly #host: Host;
  readonly #call: Omit<NaiveCall, 'deadlineMs'>;
  #isUnknown = false;

  constructor(lock: NaiveLock, host: Host, { key, contender, ttlMs, mode }: ContendRequest) {
    const owner = ownerValue({ contender, n: 1, label: host.label });
    this.#lock = lock;
    this.#host = host;
    this.#call = { key, owner, ttlMs: ttlMs ?? TTL_MS_DEFAULT, mode };
  }

  async attempt(limitMs: number): Promise<Attempt> {
    const from = this.#host.runtime.now();
    const deadlineMs = Math.min(limitMs, this.#deadlineMs(from));
    try {
      if (await this.#lock.take({ ...this.#call, deadlineMs }))
        return { kind: 'granted', grant: this.#grant(from) };
      const retryAfterMs = POLL_MS * (1 - this.#host.runtime.random() / 2);
      return { kind: 'busy', retryAfterMs };
    } catch (cause) {
      this.#isUnknown = true;
      return { kind: 'unknown', cause };
    }
  }

  /** Undoes nothing, because none of these locks can. */
  async withdraw(): Promise<Withdrawal> {
    await this.#lock.leave?.(this.#call.owner);
    return this.#isUnknown
      ? { kind: 'unknown', untilMs: Number.POSITIVE_INFINITY }
      : { kind: 'clean' };
  }

  /** Who never reads a clock believes without limit: a day, because a lease needs an end. */
  #grant(from: Instant): Grant {
    const { owner, ttlMs } = this.#call;
    const ms = this.#lock.validity === 'from-request' ? validityMs(ttlMs) : TTL_MS_MAX;
    const validity = { from, ms };
    return { owner, leaseMs: ttlMs, validity, release: () => this.#release() };
  }

  async #release(): Promise<Release> {
    const deadlineMs = this.#deadlineMs(this.#host.runtime.now());
    try {
      const isRemoved = await this.#lock.give({ ...this.#call, deadlineMs });
      return { kind: isRemoved ? 'released' : 'not-held' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  #deadlineMs({ monotonicMs }: Instant): number {
    return monotonicMs + callDeadlineMs(this.#call.ttlMs);
  }
}
