import type { DeadlineHeap } from './deadline-heap.ts';
import type { Renewal, Validity } from './port.ts';
import type { Runtime } from './runtime.ts';
import { TTL_MS_MIN, ttlMsFor } from './validity.ts';

/** The parts of an ended lease that its retained key needs. */
export interface RetainRequest {
  readonly runtime: Runtime;
  readonly deadlines: DeadlineHeap;
  /** End of the retention on the monotonic clock: with the wall clock, a jump would free the key. */
  readonly untilMs: number;
  /** The current validity in the store. */
  readonly validity: Validity;
  /** Pause after a renewal of unknown outcome. */
  readonly retryMs: number;
  renew(ttlMs: number): Promise<Renewal>;
  /** Called once, unless abandoned: when the retention ends, or when the store no longer has the key. */
  onOver(): void;
}

/**
 * Keeps a key taken although its job is done. No code relies on the lease any more, so it cannot be lost: no wall
 * clock, `close` or collection frees the key early. If this process ends before, the store's expiry frees the key.
 */
export class RetainedKey {
  readonly #request: RetainRequest;
  #isOver = false;
  readonly #cancelDeadline: () => void;
  #endPause: () => void = () => {};

  constructor(request: RetainRequest) {
    this.#request = request;
    this.#cancelDeadline = request.deadlines.at(request.untilMs, () => this.#finish());
  }

  /** Resolves once the store keeps the key long enough by itself, or can no longer be made to. */
  async secure(): Promise<void> {
    const { runtime, untilMs, validity, retryMs } = this.#request;
    const storeUntilMs = validity.from.monotonicMs + validity.ms;
    for (;;) {
      const nowMs = runtime.now().monotonicMs;
      if (this.#isOver || storeUntilMs >= untilMs || nowMs >= storeUntilMs) return;
      const renewal = await this.#request.renew(Math.max(TTL_MS_MIN, ttlMsFor(untilMs - nowMs)));
      if (renewal.kind === 'lost') this.#finish();
      if (renewal.kind !== 'unknown') return;
      await this.#pause(retryMs);
    }
  }

  /** Stops the retention here: only the store's expiry frees the key. */
  abandon(): void {
    this.#isOver = true;
    this.#cancelDeadline();
    this.#endPause();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.abandon();
    this.#request.onOver();
  }

  #pause(ms: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resume) => {
      const cancel = this.#request.runtime.timer(ms, resume, { awaited: true });
      const end = (): void => {
        cancel();
        resume();
      };
      this.#endPause = end;
    });
  }
}
