/** Milliseconds of the monotonic clock that all processes of a machine share. */
export function hostMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
