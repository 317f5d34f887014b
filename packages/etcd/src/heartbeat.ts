import type { Runtime } from '@holdfast/core';
import { callLimitMs } from './call-limit.ts';
import { renewalPauseMs, retryPauseMs } from './proof-of-life.ts';
import type { Position, QueueEntry } from './queue-entry.ts';

/**
 * Renews the lease of an entry that waits, so that it keeps its place. Each renewal reads the queue anew: a notification that
 * was lost is noticed by then.
 */
export class Heartbeat {
  readonly #entry: QueueEntry;
  readonly #runtime: Runtime;
  readonly #onPosition: (position: Position) => void;
  #stopTimer: () => void;
  #isOver = false;

  constructor(entry: QueueEntry, runtime: Runtime, onPosition: (position: Position) => void) {
    this.#entry = entry;
    this.#runtime = runtime;
    this.#onPosition = onPosition;
    this.#stopTimer = this.#after(renewalPauseMs(entry.lease.ttlMs));
  }

  end(): void {
    this.#isOver = true;
    this.#stopTimer();
  }

  #after(ms: number): () => void {
    return this.#runtime.timer(ms, () => void this.#beat());
  }

  async #beat(): Promise<void> {
    const { ttlMs } = this.#entry.lease;
    const isRenewed = await this.#renew();
    if (this.#isOver) return;
    this.#stopTimer = this.#after(isRenewed ? renewalPauseMs(ttlMs) : retryPauseMs(ttlMs));
  }

  async #renew(): Promise<boolean> {
    const { lease } = this.#entry;
    const deadlineMs = this.#runtime.now().monotonicMs + callLimitMs(lease.ttlMs);
    try {
      const reply = await lease.renew(() => this.#entry.look(deadlineMs), deadlineMs);
      if (!this.#isOver) this.#onPosition(this.#entry.positionIn(reply));
      return true;
    } catch {
      return false;
    }
  }
}
