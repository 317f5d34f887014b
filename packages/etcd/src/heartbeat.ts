import type { Runtime } from '@holdfast/core';
import { callLimitMs } from './call-limit.ts';
import { isLeaseGone } from './failures.ts';
import type { PredecessorWait } from './predecessor-wait.ts';
import { renewalPauseMs, retryPauseMs } from './proof-of-life.ts';
import type { QueueEntry } from './queue-entry.ts';

/**
 * Renews the lease of an entry that waits, so that it keeps its place. Each renewal reads its key and the one in front: a
 * notification that was lost is noticed by then.
 */
export class Heartbeat {
  readonly #entry: QueueEntry;
  readonly #runtime: Runtime;
  readonly #wait: PredecessorWait;
  #stopTimer: () => void;
  #isOver = false;

  constructor(entry: QueueEntry, runtime: Runtime, wait: PredecessorWait) {
    this.#entry = entry;
    this.#runtime = runtime;
    this.#wait = wait;
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
      const ahead = this.#wait.predecessor ?? '';
      const reply = await lease.renew(() => this.#entry.glance(ahead, deadlineMs), deadlineMs);
      const isStillBehind = this.#entry.areThere(reply) && this.#wait.predecessor === ahead;
      if (!this.#isOver && !isStillBehind) this.#wait.wakeUp();
      return true;
    } catch (cause) {
      // Out of the queue, it would wait for a turn that goes to those who came later.
      if (!this.#isOver && isLeaseGone(cause)) this.#wait.wakeUp();
      return false;
    }
  }
}
