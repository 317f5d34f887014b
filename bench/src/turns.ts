/** Starts each round at another entrant, and runs every other round backwards, so that neighbours change. */
export function orderOf<T>(entrants: readonly T[], round: number): T[] {
  const from = round % entrants.length;
  const rotated = [...entrants.slice(from), ...entrants.slice(0, from)];
  return round % 2 === 0 ? rotated : rotated.toReversed();
}
