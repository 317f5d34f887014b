import type { Instant, Runtime } from './runtime.ts';

interface ScheduledCallback {
  dueMs: number;
  readonly run: () => void;
  /** Place in the heap; -1 when not in it. */
  index: number;
}

export interface DeadlineHeapOptions {
  /** Whether somebody waits for these: then their timer keeps the process alive. */
  readonly awaited: boolean;
  /** Whether to ring all of them, due or not, when the wall clock has run ahead of the monotonic one. Default: no. */
  readonly watchesWall?: boolean;
}

/** So long after a machine has woken from sleep, at the latest, its wall clock is looked at. */
const RECHECK_MS = 1_000;
/** Far more than reading two clocks one after the other makes of them, and little against any ttl. */
const AHEAD_MS = 10;

/**
 * Many deadlines, one timer: a binary heap ordered by time on the monotonic clock. With 10 000 leases held, a lease
 * costs an entry here and not two timers of its own. When it is empty no timer is armed.
 */
export class DeadlineHeap {
  readonly #runtime: Runtime;
  readonly #awaited: boolean;
  readonly #watchesWall: boolean;
  readonly #heap: ScheduledCallback[] = [];
  #cancelTimer: (() => void) | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;
  /** The least that the wall clock was ahead of the monotonic one since all alarms were set or rung. */
  #leastLeadMs = Number.POSITIVE_INFINITY;

  constructor(runtime: Runtime, { awaited, watchesWall = false }: DeadlineHeapOptions) {
    this.#runtime = runtime;
    this.#awaited = awaited;
    this.#watchesWall = watchesWall;
  }

  /**
   * Calls `run` once the monotonic clock shows `dueMs`; returns its cancel. With `watchesWall` it may be called sooner:
   * it looks at the clocks itself, and sets another alarm if it was too soon.
   */
  at(dueMs: number, run: () => void): () => void {
    const alarm: ScheduledCallback = { dueMs, run, index: this.#heap.length };
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
    const now = this.#runtime.now();
    this.#leastLeadMs = Math.min(this.#leastLeadMs, leadMs(now));
    const lookMs = this.#watchesWall ? RECHECK_MS : Number.POSITIVE_INFINITY;
    this.#armedForMs = Math.min(first.dueMs, now.monotonicMs + lookMs);
    const ms = Math.max(0, this.#armedForMs - now.monotonicMs);
    this.#cancelTimer = this.#runtime.timer(ms, () => this.#ring(), { awaited: this.#awaited });
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  #ring(): void {
    this.#disarm();
    const now = this.#runtime.now();
    const nowMs = now.monotonicMs;
    if (this.#watchesWall && leadMs(now) - this.#leastLeadMs > AHEAD_MS) this.#ringAll();
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

  /** A machine that slept wakes with its monotonic clock as it was: what is due by the wall clock seems far away. */
  #ringAll(): void {
    this.#leastLeadMs = Number.POSITIVE_INFINITY;
    for (const alarm of Array.from(this.#heap)) {
      if (alarm.index < 0) continue;
      this.#remove(alarm);
      alarm.run();
    }
  }

  #remove(alarm: ScheduledCallback): void {
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
    if (this.#heap.length > 0) return;
    this.#disarm();
    this.#leastLeadMs = Number.POSITIVE_INFINITY;
  }

  #place(alarm: ScheduledCallback, index: number): void {
    this.#heap[index] = alarm;
    alarm.index = index;
  }

  #siftUp(alarm: ScheduledCallback): void {
    while (alarm.index > 0) {
      const parent = this.#heap[(alarm.index - 1) >> 1];
      if (parent === undefined || parent.dueMs <= alarm.dueMs) return;
      this.#swap(parent, alarm);
    }
  }

  #siftDown(alarm: ScheduledCallback): void {
    for (;;) {
      const left = this.#heap[2 * alarm.index + 1];
      const right = this.#heap[2 * alarm.index + 2];
      const child =
        right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || child.dueMs >= alarm.dueMs) return;
      this.#swap(child, alarm);
    }
  }

  #swap(a: ScheduledCallback, b: ScheduledCallback): void {
    const { index } = a;
    this.#place(a, b.index);
    this.#place(b, index);
  }
}

function leadMs({ monotonicMs, wallMs }: Instant): number {
  return wallMs - monotonicMs;
}
