import { MARKERS } from '../family.ts';
import type { HoldMode } from '../port.ts';

/** One hold among others on a key. */
export interface Hold {
  readonly owner: string;
  readonly n: number;
  readonly untilMs: number;
  readonly permits: number;
  readonly of: number;
}

interface Waiter {
  readonly mode: HoldMode;
  readonly untilMs: number;
}

/** Who holds a key beside others, and who waits for it, in order of arrival. Knows no clock and no exclusive holder. */
export class Line {
  /** By contender. */
  readonly holds: Map<string, Hold> = new Map();
  /** By contender; a map keeps the order in which they came. */
  readonly #waiters = new Map<string, Waiter>();
  /** What kind of holds these are; undefined if there is none. */
  kind: 'shared' | 'permits' | undefined;
  /** The fencing token of the readers. */
  token = 0n;
  /** No place in line ends before this, so that not every request looks at all of them. */
  #placesUntilMs = Number.POSITIVE_INFINITY;

  /** The end of the last hold. */
  get untilMs(): number {
    let lastMs = 0;
    for (const { untilMs } of this.holds.values()) lastMs = Math.max(lastMs, untilMs);
    return lastMs;
  }

  /** The end of the first hold; Infinity if there is none. */
  get firstEndMs(): number {
    let firstMs = Number.POSITIVE_INFINITY;
    for (const { untilMs } of this.holds.values()) firstMs = Math.min(firstMs, untilMs);
    return firstMs;
  }

  get marker(): string | undefined {
    return this.kind && MARKERS[this.kind];
  }

  get isEmpty(): boolean {
    return this.holds.size === 0 && this.#waiters.size === 0;
  }

  /** Drops what is over; `stored` is the owner value under the key, without which no hold counts. */
  expire(nowMs: number, stored: string | undefined): void {
    if (this.kind !== undefined && stored !== this.marker) this.holds.clear();
    for (const [contender, { untilMs }] of this.holds)
      if (untilMs <= nowMs) this.holds.delete(contender);
    if (this.holds.size === 0) this.kind = undefined;
    if (this.#placesUntilMs <= nowMs) this.#expirePlaces(nowMs);
  }

  #expirePlaces(nowMs: number): void {
    this.#placesUntilMs = Number.POSITIVE_INFINITY;
    for (const [contender, { untilMs }] of this.#waiters) {
      if (untilMs <= nowMs) this.#waiters.delete(contender);
      else this.#placesUntilMs = Math.min(this.#placesUntilMs, untilMs);
    }
  }

  /** True if this contender, without a hold of its own, can be granted `mode` beside the holds. */
  fits(mode: HoldMode): boolean {
    if (this.kind === undefined) return true;
    if (mode.kind !== this.kind) return false;
    return (
      mode.kind === 'shared' || this.#used + mode.permits <= Math.min(mode.of, this.smallestOf)
    );
  }

  /** The smallest number of permits that a holder knows of; Infinity if there is none. */
  get smallestOf(): number {
    let smallest = Number.POSITIVE_INFINITY;
    for (const { of } of this.holds.values()) smallest = Math.min(smallest, of);
    return smallest;
  }

  /** A number of permits that a holder knows of and that differs from this one's. */
  otherOf(mode: { readonly kind: string; readonly of?: number }): number | undefined {
    for (const { of } of this.holds.values()) if (of !== mode.of) return of;
    return undefined;
  }

  get #used(): number {
    let used = 0;
    for (const { permits } of this.holds.values()) used += permits;
    return used;
  }

  /** Keeps the place of a waiter, or gives it the last one. */
  join(contender: string, mode: HoldMode, untilMs: number): void {
    this.#waiters.set(contender, { mode, untilMs });
    this.#placesUntilMs = Math.min(this.#placesUntilMs, untilMs);
  }

  leave(contender: string): void {
    this.#waiters.delete(contender);
  }

  /** True if somebody in front would be delayed: readers pass each other, all else keeps its order. */
  isBehind(contender: string, mode: HoldMode): boolean {
    for (const [other, waiter] of this.#waiters) {
      if (other === contender) return false;
      if (mode.kind !== 'shared' || waiter.mode.kind !== 'shared') return true;
    }
    return false;
  }

  /** The waiters that can be granted now, one beside the other, if nobody holds exclusively. */
  next(): readonly string[] {
    const called: string[] = [];
    let free = this.smallestOf - this.#used;
    for (const [contender, { mode }] of this.#waiters) {
      if (this.kind !== undefined && mode.kind !== this.kind) break;
      if (mode.kind === 'exclusive') return called.length === 0 ? [contender] : called;
      if (mode.kind === 'permits') {
        free = Math.min(free, mode.of) - mode.permits;
        if (Number.isNaN(free) || free < 0) break;
      }
      called.push(contender);
    }
    return called;
  }
}
