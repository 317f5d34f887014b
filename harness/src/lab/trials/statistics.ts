export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The quantile of the standard normal distribution for 95 %. */
const Z = 1.96;

/** Wilson's interval at 95 % for the rate behind `hits` of `trials` (E. B. Wilson, JASA 22, 1927). */
export function wilson(hits: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const rate = hits / trials;
  const scale = 1 + Z ** 2 / trials;
  const centre = rate + Z ** 2 / (2 * trials);
  const spread = Z * Math.sqrt((rate * (1 - rate)) / trials + Z ** 2 / (4 * trials ** 2));
  return {
    low: Math.max(0, (centre - spread) / scale),
    high: Math.min(1, (centre + spread) / scale),
  };
}

/**
 * The ranks, from 1, of two of n sorted values that bound the median of their distribution at 95 %: order statistics, valid
 * for any distribution (W. R. Thompson, Annals of Mathematical Statistics 7, 1936). Undefined for fewer than six values,
 * which are too few.
 */
export function medianRanks(n: number): readonly [number, number] | undefined {
  let outside = 0;
  let chance = 0.5 ** n;
  let low = 0;
  while (2 * (outside + chance) <= 0.05) {
    outside += chance;
    low++;
    chance *= (n - low + 1) / low;
  }
  return low === 0 ? undefined : [low, n + 1 - low];
}
