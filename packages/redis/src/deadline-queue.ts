import type { Runtime } from '@holdfast/core';

/** An item that must be settled by an instant of the monotonic clock. */
export interface HasDeadline {
  readonly deadlineMs: number;
  readonly isSettled: boolean;
}

/** The number of removed items after which the front of the array is cut off. */
const COMPACT_AT = 1_024;

/**
 * Items that are not settled yet, in the order of their deadlines, under one timer. Deadlines come nearly in order, since
 * calls have about equal time limits: most items are inserted at the back, a few some steps before it. Settled items
 * stay until they reach the front; replies come in order too, so most are there already.
 */
export class DeadlineQueue<T extends HasDeadline> {
  readonly #runtime: Runtime;
  readonly #onDue: (item: T) => void;
  /** Removed items are overwritten at once: kept until the front is cut off, they would outlive young garbage collections. */
  readonly #items: (T | undefined)[] = [];
  #front = 0;
  #armedForMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  /** `onDue` is called once for each item that is not settled by its deadline. */
  constructor(runtime: Runtime, onDue: (item: T) => void) {
    this.#runtime = runtime;
    this.#onDue = onDue;
  }

  add(item: T, nowMs: number): void {
    const items = this.#items;
    let at = items.length;
    while (at > this.#front && this.#isLater(at - 1, item)) at--;
    if (at === items.length) items.push(item);
    else items.splice(at, 0, item);
    if (item.deadlineMs < this.#armedForMs) this.#arm(item.deadlineMs, nowMs);
  }

  /** Call it after an item was settled. */
  prune(): void {
    const items = this.#items;
    while (items[this.#front]?.isSettled === true) items[this.#front++] = undefined;
    if (this.#front === items.length) {
      items.length = 0;
      this.#front = 0;
    } else if (this.#front >= COMPACT_AT) {
      items.splice(0, this.#front);
      this.#front = 0;
    }
  }

  /** Returns the items that are not settled, in order. */
  open(): T[] {
    return this.#items.filter((item): item is T => item !== undefined && !item.isSettled);
  }

  close(): void {
    this.#cancel?.();
    this.#armedForMs = Number.POSITIVE_INFINITY;
  }

  #isLater(at: number, item: T): boolean {
    const other = this.#items[at];
    return other !== undefined && other.deadlineMs > item.deadlineMs;
  }

  /** The timer stays when its item is settled: a new timer for every call would cost more than a wake-up for nothing. */
  #arm(deadlineMs: number, nowMs: number): void {
    this.#cancel?.();
    this.#armedForMs = deadlineMs;
    this.#cancel = this.#runtime.timer(deadlineMs - nowMs, () => this.#wake());
  }

  #wake(): void {
    this.#armedForMs = Number.POSITIVE_INFINITY;
    this.prune();
    const nowMs = this.#runtime.now().monotonicMs;
    let first = this.#items[this.#front];
    while (first !== undefined && (first.isSettled || first.deadlineMs <= nowMs)) {
      this.#items[this.#front++] = undefined;
      if (!first.isSettled) this.#onDue(first);
      first = this.#items[this.#front];
    }
    if (first !== undefined && first.deadlineMs < this.#armedForMs)
      this.#arm(first.deadlineMs, nowMs);
  }
}
