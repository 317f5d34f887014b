import type { Release, Runtime } from '@holdfast/core';

const PAUSE_MS_MIN = 50;

/** Something to give back, of which nobody knows whether it stands. */
export interface PendingRelease {
  /** One more try; `unknown` asks for another. Never rejects. */
  release(): Promise<Release>;
  /** How much longer it may stand by itself; nothing is tried after that. */
  leftMs(): number;
  /** Pauses double up to this. */
  readonly pauseMsMax: number;
}

/**
 * Goes on giving back what ended in doubt, so that a lost reply does not keep a key for its whole ttl. Its timers keep
 * no process alive, and end with the backend, after a last try.
 */
export class PendingReleases {
  readonly #runtime: Runtime;
  /** What is owed, with what cancels the timer of its next try. */
  readonly #scheduled = new Map<PendingRelease, () => void>();
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #closeListeners = new Set<() => void>();
  #closed = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  add(pending: PendingRelease): void {
    this.#retryIn(PAUSE_MS_MIN, pending);
  }

  /** Something is being given back, or may have to be when it is settled: `close` waits for it. */
  track(work: Promise<unknown>): void {
    const tracked = work.finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }

  /** Has `run` called when the backend closes; returns what takes that back. */
  onClose(run: () => void): () => void {
    this.#closeListeners.add(run);
    return () => void this.#closeListeners.delete(run);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * One last try for each, at once: who closes is often about to exit, and nobody would give back what is left until
   * its ttl is over. Resolves when they are answered; none takes longer than a call.
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
    // Half of it is random: after an outage many processes come back at once.
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
      this.#retryIn(Math.min(2 * pauseMs, pending.pauseMsMax), pending);
  }
}
