/** A median, and the range of the rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted.length >> 1;
  const lower = (sorted.length - 1) >> 1;
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  return { median: (at(lower) + at(upper)) / 2, min: at(0), max: at(sorted.length - 1) };
}
