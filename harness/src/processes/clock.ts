import { openSync, readSync } from 'node:fs';

/** What shifts the clocks of this process; see `clock-shim.ts`. */
const shiftedBy = process.env['HOLDFAST_CLOCK_FILE'];
const file = shiftedBy === undefined ? undefined : openSync(shiftedBy, 'r');
const sleptUs = Buffer.alloc(8);

/**
 * Milliseconds of the host's monotonic clock: the same for all processes of one machine, so that what they write down
 * can be put in order. Also of a process whose own clock has slept, for nothing is stamped with a clock that we fake.
 */
export function hostMs(): number {
  const ownMs = Number(process.hrtime.bigint()) / 1e6;
  if (file === undefined) return ownMs;
  readSync(file, sleptUs, 0, 8, 8);
  return ownMs - Number(sleptUs.readBigInt64LE()) / 1e3;
}
