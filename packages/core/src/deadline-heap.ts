import type { Instant, Runtime } from './runtime.ts';

/** What may be set in one heap at a time. */
export abstract class Deadline {
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
  /** The time of each, at the same index: compared without a look at the deadlines, which are all over the memory. */
  readonly #dueMs: number[] = [];
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
    this.#place(deadline, dueMs, this.#raised(dueMs, this.#heap.length));
    if (deadline.index === 0) this.#arm();
  }

  #arm(): void {
    const firstMs = this.#dueMs[0];
    if (firstMs === undefined) return this.#disarm();
    if (this.#cancelTimer !== undefined && this.#armedForMs <= firstMs) return;
    this.#disarm();
    const now = this.#runtime.now();
    this.#minLeadMs = Math.min(this.#minLeadMs, wallLeadMs(now));
    const recheckMs = this.#watchesWall ? RECHECK_MS : Number.POSITIVE_INFINITY;
    this.#armedForMs = Math.min(firstMs, now.monotonicMs + recheckMs);
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
      first !== undefined && (this.#dueMs[0] ?? 0) <= nowMs;
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
    const lastMs = this.#dueMs.pop();
    if (last !== undefined && lastMs !== undefined && last !== entry)
      this.#place(last, lastMs, this.#lowered(lastMs, this.#raised(lastMs, index)));
    // A timer that fires too early does no harm: it arms the next one. A timer for an empty heap would outlive its
    // lease.
    if (this.#heap.length > 0) return;
    this.#disarm();
    this.#minLeadMs = Number.POSITIVE_INFINITY;
  }

  #place(entry: Deadline, dueMs: number, index: number): void {
    this.#heap[index] = entry;
    this.#dueMs[index] = dueMs;
    entry.index = index;
  }

  /** Returns where an entry belongs that is due then, from the hole at `index` up: later ones move down. */
  #raised(dueMs: number, index: number): number {
    let hole = index;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const parentMs = this.#dueMs[parent];
      if (parentMs === undefined || parentMs <= dueMs) return hole;
      hole = this.#move(parent, parentMs, hole);
    }
    return hole;
  }

  /** The same from the hole down: sooner ones move up. */
  #lowered(dueMs: number, index: number): number {
    let hole = index;
    for (;;) {
      const left = 2 * hole + 1;
      const leftMs = this.#dueMs[left];
      if (leftMs === undefined) return hole;
      const rightMs = this.#dueMs[left + 1] ?? leftMs;
      const childMs = Math.min(leftMs, rightMs);
      if (childMs >= dueMs) return hole;
      hole = this.#move(rightMs < leftMs ? left + 1 : left, childMs, hole);
    }
  }

  /** Returns where the hole is now. */
  #move(from: number, dueMs: number, to: number): number {
    const entry = this.#heap[from];
    if (entry !== undefined) this.#place(entry, dueMs, to);
    return from;
  }
}

function wallLeadMs({ monotonicMs, wallMs }: Instant): number {
  return wallMs - monotonicMs;
}
