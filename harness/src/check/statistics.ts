/** The smallest value that at least `share` of all values do not exceed (nearest rank); null without values. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}

/** The value in the middle; of two the lower. */
export function median(values: readonly number[]): number | null {
  return percentile(values, 0.5);
}
