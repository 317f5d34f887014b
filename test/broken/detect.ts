import {
  BATCH,
  batchOf,
  type PlayResult,
  type Schedule,
  schedulesFor,
} from '@holdfast/harness/simulator';
import type { Arbitrary } from 'fast-check';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { setupOf, type Violation, violationOf } from '../../harness/test/kit/search.ts';
import { budgetOf, type MutantTrial } from './mutant.ts';
import type { SchedulePlayer } from './schedule-players.ts';

/** A schedule that shows a lock to be broken. */
export interface Detection {
  readonly schedule: Schedule;
  readonly violation: Violation;
  /** The number of schedules played until the detection. */
  readonly n: number;
}

/** The schedules of a trial. The mutant and the correct lock play equal ones. */
function schedulesOf({ subject, faults, setup = {}, among }: MutantTrial): Arbitrary<Schedule> {
  if (among !== undefined) return among.schedules;
  return schedulesFor(faults, setupOf({ subject: subjectOf(subject), setup }));
}

/** Tries a lock on the schedules of one seed; undefined when it withstands them all. */
export async function detect(
  suspect: SchedulePlayer,
  trial: MutantTrial,
  { seed, runs = budgetOf(trial) }: { readonly seed: number; readonly runs?: number },
): Promise<Detection | undefined> {
  const schedules = schedulesOf(trial);
  for (let batch = 0; batch * BATCH < runs; batch++) {
    for (const [i, schedule] of batchOf(schedules, seed, batch).entries()) {
      const n = batch * BATCH + i + 1;
      if (n > runs) return undefined;
      const violation = violationFound(await suspect(schedule), trial);
      if (violation !== undefined) return { schedule, violation, n };
    }
  }
  return undefined;
}

/** Returns the violation that the judge of a trial finds in a run. A history with verdict `unknown` is no violation. */
export function violationFound(played: PlayResult, { target }: MutantTrial): Violation | undefined {
  const violation = violationOf(played, target);
  return violation?.kind === 'violated' ? violation : undefined;
}
