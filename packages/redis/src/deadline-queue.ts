import type { Runtime } from '@holdfast/core';

/** Something that must be settled by an instant of the monotonic clock. */
export interface HasDeadline {
  readonly deadlineMs: number;
  readonly isSettled: boolean;
}

/** After so many taken items the front of the array is cut off; a power of two, only for the cost. */
const COMPACT_AT = 1_024;

/**
 * What is not settled yet, in the order of its deadlines, under one timer. Deadlines come nearly in order, since
 * calls get about the same time: an insertion at the back is the rule, a few steps forward the exception. Settled
 * items stay until they reach the front, where replies, which come in order too, take them away at once.
 */
export class DeadlineQueue<T extends HasDeadline> {
  readonly #runtime: Runtime;
  readonly #onDue: (item: T) => void;
  /** Taken ones are forgotten at once: kept until the front is cut off they would outlive young garbage collections. */
  readonly #items: (T | undefined)[] = [];
  #front = 0;
  #armedForMs = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  /** `due` is called once for each item that is not settled by its deadline. */
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

  /** To be called after something was settled. */
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

  /** What is not settled, in order. */
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

  /** The timer outlives what it was armed for: setting one anew for every call would cost more than it waking up for nothing. */
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
