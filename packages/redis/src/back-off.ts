const BACK_OFF_MS_MIN = 25;
const BACK_OFF_MS_MAX = 1_000;

/**
 * How long to wait before dialling again after `failures` ≥ 1 failures in a row: doubling from 25 ms to 1 s, of
 * which a random half is taken off, so that the clients of a restarted server do not come back in step.
 */
export function backOffMs(failures: number, random: number): number {
  const longestMs = Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(failures - 1, 10));
  return longestMs * (1 - random / 2);
}
