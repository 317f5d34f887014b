/**
 * Milliseconds of the host's monotonic clock: the same for all processes of one machine, so that what they write down
 * can be put in order.
 */
export function hostMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
