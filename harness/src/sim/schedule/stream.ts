import fc from 'fast-check';
import { random } from '../random.ts';
import type { Schedule } from './schedule.ts';

/** Drawn at once, so that a search of any length keeps no more than these. */
export const BATCH = 64;

/** The `n`-th batch of a seed: whoever plays which batch, and in what order, the schedules are the same. */
export function batchOf(
  schedules: fc.Arbitrary<Schedule>,
  seed: number,
  n: number,
): readonly Schedule[] {
  const mixed = random(`${seed}/${n}`).below(2 ** 31);
  return fc.sample(schedules, { seed: mixed, numRuns: BATCH });
}
