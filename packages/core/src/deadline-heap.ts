import type { Instant, Runtime } from './runtime.ts';

/** What may be set in one heap at a time. */
export abstract class Deadline {
  /** Time on the monotonic clock. */
  dueMs: number = Number.POSITIVE_INFINITY;
  /** Position in the heap; -1 if not in it. */
  index: number = -1;

  abstract onDue(): void;
}

class Callback extends Deadline {
  override readonly onDue: () => void;

  constructor(run: () => void) {
    super();
    this.onDue = run;
  }
}

export interface DeadlineHeapOptions {
  /** True if callers wait for these deadlines: then the timer keeps the process alive. */
  readonly awaited: boolean;
  /** True to fire all of them, due or not, if the wall clock has run ahead of the monotonic one. Default: false. */
  readonly watchesWall?: boolean;
}

/** After a machine has woken from sleep, its wall clock is checked within this time. */
const RECHECK_MS = 1_000;
/** Far more than the error of reading two clocks one after the other, and little compared with any ttl. */
const WALL_LEAD_MS_MAX = 10;

/**
 * Many deadlines, one timer: a binary heap ordered by time on the monotonic clock. With 10 000 leases held, each lease
 * costs one entry here instead of two timers. While the heap is empty, no timer is armed.
 */
export class DeadlineHeap {
  readonly #runtime: Runtime;
  readonly #awaited: boolean;
  readonly #watchesWall: boolean;
  readonly #heap: Deadline[] = [];
  #cancelTimer: (() => void) | undefined;
  #armedForMs = Number.POSITIVE_INFINITY;
  /** Smallest lead of the wall clock over the monotonic one since the heap was last empty, or fired as a whole. */
  #minLeadMs = Number.POSITIVE_INFINITY;

  constructor(runtime: Runtime, { awaited, watchesWall = false }: DeadlineHeapOptions) {
    this.#runtime = runtime;
    this.#awaited = awaited;
    this.#watchesWall = watchesWall;
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Calls `run` as `set` calls `onDue`; returns its cancel. */
  at(dueMs: number, run: () => void): () => void {
    const deadline = new Callback(run);
    this.set(deadline, dueMs);
    return () => this.clear(deadline);
  }

  /**
   * Calls `onDue` once the monotonic clock shows `dueMs`, and no more at an earlier time that was set before. With
   * `watchesWall` it may be called sooner: it must read the clocks itself, and set another time if it was called too soon.
   */
  set(deadline: Deadline, dueMs: number): void {
    this.clear(deadline);
    deadline.dueMs = dueMs;
    deadline.index = this.#heap.length;
    this.#heap.push(deadline);
    this.#siftUp(deadline);
    if (deadline.index === 0) this.#arm();
  }

  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined) return this.#disarm();
    if (this.#cancelTimer !== undefined && this.#armedForMs <= first.dueMs) return;
    this.#disarm();
    const now = this.#runtime.now();
    this.#minLeadMs = Math.min(this.#minLeadMs, wallLeadMs(now));
    const recheckMs = this.#watchesWall ? RECHECK_MS : Number.POSITIVE_INFINITY;
    this.#armedForMs = Math.min(first.dueMs, now.monotonicMs + recheckMs);
    const ms = Math.max(0, this.#armedForMs - now.monotonicMs);
    this.#cancelTimer = this.#runtime.timer(ms, () => this.#fire(), { awaited: this.#awaited });
  }

  #disarm(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  #fire(): void {
    this.#disarm();
    const now = this.#runtime.now();
    const nowMs = now.monotonicMs;
    if (this.#watchesWall && wallLeadMs(now) - this.#minLeadMs > WALL_LEAD_MS_MAX) this.#fireAll();
    for (
      let first = this.#heap[0];
      first !== undefined && first.dueMs <= nowMs;
      first = this.#heap[0]
    ) {
      this.clear(first);
      first.onDue();
    }
    this.#arm();
  }

  /** A machine that slept wakes with its monotonic clock unchanged: deadlines that have passed seem far away. */
  #fireAll(): void {
    this.#minLeadMs = Number.POSITIVE_INFINITY;
    for (const entry of Array.from(this.#heap)) {
      if (entry.index < 0) continue;
      this.clear(entry);
      entry.onDue();
    }
  }

  /** Does nothing if it is not set. */
  clear(entry: Deadline): void {
    const { index } = entry;
    if (index < 0) return;
    entry.index = -1;
    const last = this.#heap.pop();
    if (last !== undefined && last !== entry) {
      this.#place(last, index);
      this.#siftUp(last);
      this.#siftDown(last);
    }
    // A timer that fires too early does no harm: it arms the next one. A timer for an empty heap would outlive its
    // lease.
    if (this.#heap.length > 0) return;
    this.#disarm();
    this.#minLeadMs = Number.POSITIVE_INFINITY;
  }

  #place(entry: Deadline, index: number): void {
    this.#heap[index] = entry;
    entry.index = index;
  }

  #siftUp(entry: Deadline): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1];
      if (parent === undefined || parent.dueMs <= entry.dueMs) return;
      this.#swap(parent, entry);
    }
  }

  #siftDown(entry: Deadline): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      const right = this.#heap[2 * entry.index + 2];
      const child =
        right !== undefined && left !== undefined && right.dueMs < left.dueMs ? right : left;
      if (child === undefined || child.dueMs >= entry.dueMs) return;
      this.#swap(child, entry);
    }
  }

  #swap(a: Deadline, b: Deadline): void {
    const { index } = a;
    this.#place(a, b.index);
    this.#place(b, index);
  }
}

function wallLeadMs({ monotonicMs, wallMs }: Instant): number {
  return wallMs - monotonicMs;
}
