import type { DeadlineHeap } from './deadline-heap.ts';
import type { Renewal, Validity } from './port.ts';
import type { Runtime } from './runtime.ts';
import { TTL_MS_MIN, ttlMsFor } from './validity.ts';

/** What a kept key needs of the hold that it was. */
export interface RetainRequest {
  readonly runtime: Runtime;
  readonly deadlines: DeadlineHeap;
  /** Until when the key stays taken, on the monotonic clock: were it the wall clock, a jump would free the key. */
  readonly untilMs: number;
  /** How long the store keeps it as things are. */
  readonly validity: Validity;
  /** How long to wait after a doubtful renewal. */
  readonly retryMs: number;
  renew(ttlMs: number): Promise<Renewal>;
  /** Called once, unless abandoned: when the time is over, or the store has it no longer. */
  onOver(): void;
}

/**
 * Leaves a key taken although its job is done. Nobody believes in the lease any more, so there is nothing left to
 * lose: no clock, close or collection frees the key early. The store's expiry does, if this process is gone by then.
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

  /** Resolves once the store keeps the key long enough by itself, or can no longer be brought to. */
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

  /** Nobody looks after it any more: the store's expiry alone ends it. */
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
