const FIRST_MS = 25;
const LONGEST_MS = 1_000;

/**
 * How long to wait before dialling again after `failures` ≥ 1 failures in a row: doubling from 25 ms to 1 s, of
 * which a random half is taken off, so that the clients of a restarted server do not come back in step.
 */
export function backOffMs(failures: number, random: number): number {
  const longestMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  return longestMs * (1 - random / 2);
}
