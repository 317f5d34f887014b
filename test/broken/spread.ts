/** The median and the maximum of several counts. */
interface Spread {
  readonly median: number;
  readonly most: number;
}

export function spreadOf(counts: readonly number[]): Spread {
  const sorted = counts.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const at = (i: number): number => sorted[i] ?? Number.NaN;
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, most: at(2 * middle) };
}

export function figure(count: number): string {
  return count.toLocaleString('en-GB');
}
