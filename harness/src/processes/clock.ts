import { openSync, readSync } from 'node:fs';

/** The file that shifts the clocks of this process; see `clock-shim.ts`. */
const shiftedBy = process.env['HOLDFAST_CLOCK_FILE'];
const file = shiftedBy === undefined ? undefined : openSync(shiftedBy, 'r');
const sleptUs = Buffer.alloc(8);

/**
 * Milliseconds of the host's monotonic clock, which all processes of a machine share, so that their logs can be merged
 * in order. It corrects for this process's own shifted clock: no entry is stamped with a clock that the lab shifts.
 */
export function hostMs(): number {
  const ownMs = Number(process.hrtime.bigint()) / 1e6;
  if (file === undefined) return ownMs;
  readSync(file, sleptUs, 0, 8, 8);
  return ownMs - Number(sleptUs.readBigInt64LE()) / 1e3;
}
