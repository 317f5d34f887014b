import type { Runtime } from './runtime.ts';

interface Alarm {
  dueMs: number;
  readonly run: () => void;
  /** Place in the heap; -1 when not in it. */
  index: number;
}

/**
 * Many deadlines, one timer: a binary heap ordered by time on the monotonic clock. With 10 000 leases held, a lease
 * costs an entry here and not two timers of its own. When it is empty no timer is armed.
 */
export class Alarms {
  readonly #runtime: Runtime;
  readonly #awaited: boolean;
  readonly #heap: Alarm[] = [];
  #cancelTimer: (() => void) | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;

  constructor(runtime: Runtime, options: { readonly awaited: boolean }) {
    this.#runtime = runtime;
    this.#awaited = options.awaited;
  }

  /** Calls `run` once the monotonic clock shows `dueMs`; returns its cancel. */
  at(dueMs: number, run: () => void): () => void {
    const alarm: Alarm = { dueMs, run, index: this.#heap.length };
    this.#heap.push(alarm);
    this.#siftUp(alarm);
    if (alarm.index === 0) this.#arm();
    return () => this.#remove(alarm);
  }

  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined) return this.#disarm();
    if (this.#cancelTimer !== undefined && this.#armedForMs <= first.dueMs) return;
    this.#disarm();
    this.#armedForMs = first.dueMs;
    const ms = Math.max(0, first.dueMs - this.#runtime.now().monotonicMs);
    this.#cancelTimer = this.#runtime.timer(ms, () => this.#ring(), { awaited: this.#awaited });
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  #ring(): void {
    this.#disarm();
    const nowMs = this.#runtime.now().monotonicMs;
    for (
      let first = this.#heap[0];
      first !== undefined && first.dueMs <= nowMs;
      first = this.#heap[0]
    ) {
      this.#remove(first);
      first.run();
    }
    this.#arm();
  }

  #remove(alarm: Alarm): void {
    const { index } = alarm;
    if (index < 0) return;
    alarm.index = -1;
    const last = this.#heap.pop();
    if (last !== undefined && last !== alarm) {
      this.#place(last, index);
      this.#siftUp(last);
      this.#siftDown(last);
    }
    // A timer armed too early does no harm, it looks again; one armed for nobody would outlive its lease.
    if (this.#heap.length === 0) this.#disarm();
  }

  #place(alarm: Alarm, index: number): void {
    this.#heap[index] = alarm;
    alarm.index = index;
  }

  #siftUp(alarm: Alarm): void {
    while (alarm.index > 0) {
      const parent = this.#heap[(alarm.index - 1) >> 1];
      if (parent === undefined || parent.dueMs <= alarm.dueMs) return;
      this.#swap(parent, alarm);
    }
  }

  #siftDown(alarm: Alarm): void {
    for (;;) {
      const left = this.#heap[2 * alarm.index + 1];
      const right = this.#heap[2 * alarm.index + 2];
      const child =
        right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || child.dueMs >= alarm.dueMs) return;
      this.#swap(child, alarm);
    }
  }

  #swap(a: Alarm, b: Alarm): void {
    const { index } = a;
    this.#place(a, b.index);
    this.#place(b, index);
  }
}
