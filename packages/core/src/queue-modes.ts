/** Modes in a queue of nodes or keys, each under the name of its contender: for recipes on ZooKeeper and etcd. */

import type { HoldMode } from './port.ts';

/** The mode of a contender in a queue; undefined: exclusive, also for a writer among readers. */
export type QueuedMode = Exclude<HoldMode, { readonly kind: 'exclusive' }> | undefined;

/** No contender id has a `:`. */
const NAME = /^([^:]+):(?:(shared)|permits:(\d{1,7}):(\d{1,7}))$/;
const SHARED = { kind: 'shared' } as const;

/**
 * Adds a mode to the name of a contender in a queue. Releases that know no modes take all of it for the name.
 * @example
 * ```ts
 * nameInMode('c0ffee', { kind: 'permits', permits: 2, of: 5 }); // c0ffee:permits:2:5
 * ```
 */
export function nameInMode(name: string, mode: HoldMode | undefined): string {
  if (mode === undefined || mode.kind === 'exclusive') return name;
  return mode.kind === 'shared' ? `${name}:shared` : `${name}:permits:${mode.permits}:${mode.of}`;
}

/**
 * Reverses {@link nameInMode}. A mode that is unknown here counts as exclusive: nobody may pass it.
 * @example
 * ```ts
 * parseNameInMode('c0ffee:shared'); // { contender: 'c0ffee', mode: { kind: 'shared' } }
 * ```
 */
export function parseNameInMode(name: string): {
  readonly contender: string;
  readonly mode: QueuedMode;
} {
  const [, contender, shared, permits, of] = NAME.exec(name) ?? [];
  if (contender === undefined) return { contender: name, mode: undefined };
  if (shared !== undefined) return { contender, mode: SHARED };
  return { contender, mode: { kind: 'permits', permits: Number(permits), of: Number(of) } };
}

/**
 * A contender's place in a queue, by the indices of the others. `otherOf`: a number of permits that one in front knows of,
 * another one than its own if there is any.
 */
export type PlaceInQueue =
  /** It may hold: alone, with the readers up to `lastReader`, or with its permits. */
  | { readonly kind: 'first'; readonly lastReader?: number; readonly otherOf?: number }
  /** It waits for the one at `index`: to go, or, among holders of permits, to be granted. */
  | { readonly kind: 'behind'; readonly index: number }
  /** The first of those that wait for permits. */
  | { readonly kind: 'short'; readonly otherOf: number };

/**
 * The modes in a queue in order of arrival, worked out once for all who look at it. Who came earlier counts whether or not it
 * has been granted yet, so nobody passes one that it would delay.
 * @example
 * ```ts
 * const queue = new QueueModes([{ kind: 'shared' }, undefined, { kind: 'shared' }]);
 * queue.placeOf(2); // { kind: 'behind', index: 1 }
 * ```
 */
export class QueueModes {
  readonly #modes: readonly QueuedMode[];
  /** At each index: the index of the last one up to it that is no reader; −1 if all are readers. */
  readonly #lastOther: number[] = [];
  /** The index of the first one that is no holder of permits, or for which there are too few. */
  readonly #firstUnfit: number;
  /** The index of the first one that knows of another number of permits than the one in front of all. */
  readonly #firstOther: number;

  constructor(modes: readonly QueuedMode[]) {
    this.#modes = modes;
    let firstUnfit = modes.length;
    let firstOther = modes.length;
    let smallest = Number.POSITIVE_INFINITY;
    let used = 0;
    for (const [i, mode] of modes.entries()) {
      this.#lastOther.push(mode?.kind === 'shared' ? (this.#lastOther[i - 1] ?? -1) : i);
      if (firstUnfit < i) continue;
      if (mode?.kind === 'permits') {
        used += mode.permits;
        if (firstOther > i && mode.of !== this.#of(0)) firstOther = i;
        smallest = Math.min(smallest, mode.of);
      }
      if (mode?.kind !== 'permits' || used > smallest) firstUnfit = i;
    }
    this.#firstUnfit = firstUnfit;
    this.#firstOther = firstOther;
  }

  /** The number of contenders in front that hold, or are about to. */
  get holders(): number {
    const kind = this.#modes[0]?.kind;
    if (kind === undefined) return Math.min(1, this.#modes.length);
    if (kind === 'permits') return Math.max(1, this.#firstUnfit);
    return this.#endOfReaders(0);
  }

  /** The place of the one at `index`. */
  placeOf(index: number): PlaceInQueue {
    const mode = this.#modes[index];
    if (mode?.kind === 'shared') return this.#placeOfReader(index);
    if (mode?.kind === 'permits') return this.#placeOfPermits(index);
    return index === 0 ? { kind: 'first' } : { kind: 'behind', index: index - 1 };
  }

  /** How the key is held, if a contender of this mode at `index` must not wait for that. All who hold do as the first one does. */
  otherAhead(wanted: HoldMode['kind'], index: number): 'shared' | 'permits' | undefined {
    const other = wanted === 'permits' ? 'shared' : 'permits';
    return index > 0 && this.#modes[0]?.kind === other ? other : undefined;
  }

  #placeOfReader(index: number): PlaceInQueue {
    const other = this.#lastOther[index - 1] ?? -1;
    if (other >= 0) return { kind: 'behind', index: other };
    return { kind: 'first', lastReader: this.#endOfReaders(index) - 1 };
  }

  #placeOfPermits(index: number): PlaceInQueue {
    if (index > this.#firstUnfit) return { kind: 'behind', index: index - 1 };
    const isLikeFirst = this.#of(index) === this.#of(0);
    const otherOf = this.#of(isLikeFirst && this.#firstOther < index ? this.#firstOther : 0);
    return { kind: index < this.#firstUnfit ? 'first' : 'short', otherOf };
  }

  #of(index: number): number {
    const mode = this.#modes[index];
    return mode?.kind === 'permits' ? mode.of : Number.POSITIVE_INFINITY;
  }

  #endOfReaders(from: number): number {
    const next = this.#lastOther.findIndex((at, i) => i >= from && at >= 0);
    return next < 0 ? this.#modes.length : next;
  }
}
