import type { Span } from './injection.ts';
import { KEYS, type Usage } from './orders.ts';
import type { At, Records } from './recorder.ts';

/** One for each key of each arm, once all have been locked, and the mark of the epoch. */
const FENCES = 2 * KEYS + 1;

/** What there was after the warm-up, and at the end. */
export interface Growth {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** By how much it may grow: what the load of the moment makes. */
  readonly most: number;
}

/** The warm-up, and each of the two spans that are compared, as a share of the run. */
const SHARE = 1 / 6;

/** Compares what there is after the warm-up with what there is at the end: of a process, and on the servers. */
export function growthOf(
  { usage, keys }: Pick<Records, 'usage' | 'keys'>,
  { fromMs, untilMs }: Span,
): readonly Growth[] {
  const sixthMs = (untilMs - fromMs) * SHARE;
  const grown = <T>(
    name: string,
    most: number,
    all: readonly At<T>[],
    valueOf: (of: readonly T[]) => number,
  ): Growth => {
    const within = (from: number, until: number): number =>
      valueOf(all.filter(({ atMs }) => atMs >= from && atMs < until));
    const before = within(fromMs + sixthMs, fromMs + 2 * sixthMs);
    return { name, before, after: within(untilMs - sixthMs, untilMs), most };
  };
  return [
    grown('heap, MB', 3, usage, mean('heapMb')),
    grown('open files', 4, usage, mean('descriptors')),
    grown('timers', 8, usage, mean('timers')),
    grown('locks', 64, keys, (of) => medianOf(of.map(({ locks }) => locks))),
    {
      ...grown('fences', 0.5, keys, (of) => medianOf(of.map(({ all, locks }) => all - locks))),
      before: FENCES,
    },
  ];
}

function mean(name: keyof Usage): (of: readonly Usage[]) => number {
  return (of) => meanOf(of.map((each) => each[name]));
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** What a majority of samples agrees on: while a master changes, counts are off. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Means of bins of equal length, with the seconds from the start. */
export function binned<T>(
  all: readonly At<T>[],
  valueOf: (of: T) => number,
  { fromMs, untilMs, binMs }: Span & { readonly binMs: number },
): readonly { readonly s: number; readonly value: number }[] {
  const bins = new Map<number, T[]>();
  for (const each of all.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs)) {
    const bin = Math.floor((each.atMs - fromMs) / binMs);
    bins.set(bin, [...(bins.get(bin) ?? []), each]);
  }
  return [...bins]
    .toSorted(([a], [b]) => a - b)
    .map(([bin, each]) => ({ s: ((bin + 0.5) * binMs) / 1_000, value: meanOf(each.map(valueOf)) }));
}
