import {
  callDeadlineMs,
  driftMs,
  type Instant,
  type Release,
  type Runtime,
} from '@holdfast/core/backend';

const PAUSE_MS_MIN = 50;
/** The time after which a failed release of a known hold is tried again at the latest. */
const PAUSE_MS_MAX = 2_000;

/** A value that may be stored, and is to be released. */
export interface PendingRelease {
  /** Tries once more; `unknown` requests another try. Never rejects. */
  release(): Promise<Release>;
  /** Returns how many ms longer the value may be stored; nothing is tried after that. */
  leftMs(): number;
  /** The limit of the doubling pauses between two tries, in ms; default 2 000. */
  readonly pauseMsMax?: number | undefined;
}

/** The time within which a value that one call stored expires: an estimate, since a network may deliver a request late. */
export interface Lifetime {
  readonly from: Instant;
  readonly ms: number;
}

/** Counts the time until the deadline of the call, when it may still arrive, then the ttl by a clock that is slower than ours. */
export function lifetimeOf(from: Instant, ttlMs: number): Lifetime {
  return { from, ms: callDeadlineMs(ttlMs) + ttlMs + driftMs(ttlMs) };
}

/**
 * Returns how many ms longer the value may be stored; never negative. By the monotonic clock alone: if the wall clock jumps
 * ahead, the time of the server has not passed, and a value that is forgotten too early is never released.
 */
export function leftMs({ from, ms }: Lifetime, runtime: Runtime): number {
  return Math.max(0, ms - (runtime.now().monotonicMs - from.monotonicMs));
}

/**
 * Retries releases that ended in doubt, so that a lost reply does not keep a key locked for its whole ttl. Its timers keep no
 * process alive, and end with the backend, after one last try.
 */
export class PendingReleases {
  readonly #runtime: Runtime;
  /** Each pending release, with the cancel function of its timer. */
  readonly #scheduled = new Map<PendingRelease, () => void>();
  readonly #inFlight = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Tries the release within 50 ms, then ever more rarely, until it is definite or the value has expired. */
  add(pending: PendingRelease): void {
    this.#retryIn(PAUSE_MS_MIN, pending);
  }

  /** Tries each pending release one last time, at once: a process that closes is often about to exit. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = Array.from(this.#scheduled);
    this.#scheduled.clear();
    for (const [pending, cancel] of waiting) {
      cancel();
      if (pending.leftMs() > 0) this.#track(pending.release());
    }
    await Promise.all(this.#inFlight);
  }

  #track(work: Promise<unknown>): void {
    const tracked = work.finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }

  #retryIn(pauseMs: number, pending: PendingRelease): void {
    if (this.#isClosed || pending.leftMs() === 0) return;
    // Half of the pause is random: after an outage many processes come back at once.
    const ms = (pauseMs / 2) * (1 + this.#runtime.random());
    const cancel = this.#runtime.timer(ms, () => {
      this.#scheduled.delete(pending);
      this.#track(this.#retry(pauseMs, pending));
    });
    this.#scheduled.set(pending, cancel);
  }

  async #retry(pauseMs: number, pending: PendingRelease): Promise<void> {
    const { kind } = await pending.release();
    if (kind === 'unknown')
      this.#retryIn(Math.min(2 * pauseMs, pending.pauseMsMax ?? PAUSE_MS_MAX), pending);
  }
}
