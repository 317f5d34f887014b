import type { At, Records } from './recorder.ts';

/** Means after the warm-up, and at the end. */
export interface Growth {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  /** By how much it may grow: what the load of the moment makes. */
  readonly most: number;
}

/** The warm-up, and each of the two spans that are compared, as a share of the run. */
const SHARE = 1 / 6;

/** Compares what a process uses after the warm-up with what it uses at the end. */
export function growthOf(
  { usage }: Pick<Records, 'usage'>,
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
): readonly Growth[] {
  const sixthMs = (untilMs - fromMs) * SHARE;
  const mean = (name: keyof (typeof usage)[number], from: number, until: number): number =>
    meanOf(usage.filter(({ atMs }) => atMs >= from && atMs < until).map((each) => each[name]));
  const grown = (name: keyof (typeof usage)[number], text: string, most: number): Growth => ({
    name: text,
    before: mean(name, fromMs + sixthMs, fromMs + 2 * sixthMs),
    after: mean(name, untilMs - sixthMs, untilMs),
    most,
  });
  return [
    grown('heapMb', 'heap, MB', 3),
    grown('descriptors', 'open files', 4),
    grown('timers', 'timers', 8),
  ];
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Means of bins of equal length, with the seconds from the start. */
export function binned<T>(
  all: readonly At<T>[],
  valueOf: (of: T) => number,
  {
    fromMs,
    untilMs,
    binMs,
  }: { readonly fromMs: number; readonly untilMs: number; readonly binMs: number },
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
