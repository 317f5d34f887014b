import type { Release, Runtime } from '@holdfast/core';

const PAUSE_MS_MIN = 50;
/** The node may come back at any time. */
const PAUSE_MS_MAX = 2_000;

/** A value that may be stored, and is to be released. */
export interface PendingRelease {
  /** Tries once more; `unknown` requests another try. Never rejects. */
  release(): Promise<Release>;
  /** Returns how many ms longer the value may be stored; nothing is tried after that. */
  leftMs(): number;
  /** The limit of the doubling pauses between two tries, in ms; default 2 000. */
  readonly pauseMsMax?: number;
}

/**
 * Retries releases that ended in doubt, so that a lost reply does not keep a key locked for its whole ttl. Its timers
 * keep no process alive, and end with the backend, after one last try.
 * @example
 * ```ts
 * const pendingReleases = new PendingReleases(host.runtime);
 * const leftMs = () => remainingMs(grant.validity, host.runtime);
 * // After a release whose outcome is unknown:
 * pendingReleases.add({ release: () => grant.release(), leftMs });
 * ```
 */
export class PendingReleases {
  readonly #runtime: Runtime;
  /** Each pending release, with the cancel function of its timer. */
  readonly #scheduled = new Map<PendingRelease, () => void>();
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #closeListeners = new Set<() => void>();
  #closed = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Tries the release within 50 ms, then ever more rarely, until it is definite or the value has expired. */
  add(pending: PendingRelease): void {
    this.#retryIn(PAUSE_MS_MIN, pending);
  }

  /** Makes `close` wait for `work`: a release, or a request whose vote may have to be released. */
  track(work: Promise<unknown>): void {
    const tracked = work.finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }

  /** Calls `run` when the backend closes; returns a function that cancels that. */
  onClose(run: () => void): () => void {
    this.#closeListeners.add(run);
    return () => void this.#closeListeners.delete(run);
  }

  /** True once `close` was called: nothing more is scheduled. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Tries each pending release one last time, at once: a process that closes is often about to exit, and what is left
   * would stay locked until its ttl is over. Resolves with the replies; no try takes longer than a call.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const run of Array.from(this.#closeListeners)) run();
    const waiting = Array.from(this.#scheduled);
    this.#scheduled.clear();
    for (const [pending, cancel] of waiting) {
      cancel();
      if (pending.leftMs() > 0) this.#inFlight.add(pending.release());
    }
    await Promise.all(this.#inFlight);
  }

  #retryIn(pauseMs: number, pending: PendingRelease): void {
    if (this.#closed || pending.leftMs() === 0) return;
    // Half of the pause is random: after an outage many processes come back at once.
    const ms = (pauseMs / 2) * (1 + this.#runtime.random());
    const cancel = this.#runtime.timer(ms, () => {
      this.#scheduled.delete(pending);
      this.track(this.#retry(pauseMs, pending));
    });
    this.#scheduled.set(pending, cancel);
  }

  async #retry(pauseMs: number, pending: PendingRelease): Promise<void> {
    const release = await pending.release();
    if (release.kind === 'unknown')
      this.#retryIn(Math.min(2 * pauseMs, pending.pauseMsMax ?? PAUSE_MS_MAX), pending);
  }
}
