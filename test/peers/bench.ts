import type { FaultId } from '@holdfast/core';
import type { Schedule, Setup, Subject } from '@holdfast/sim';
import {
  NO_TALLY,
  nameOf,
  search,
  setupOf,
  sumOf,
  type Tally,
  type Violation,
} from '../../packages/holdfast/src/search/index.ts';

/** One column of the table: a lock, and the kinds of schedules that it is tried by. */
export interface Column {
  readonly name: string;
  readonly subject: Subject;
  readonly setups: readonly Partial<Setup>[];
}

/** The first schedule that showed a property violated, and its place among those of the seed. */
export interface First {
  readonly n: number;
  readonly schedule: Schedule;
  readonly violation: Violation;
}

export interface Tried {
  readonly tally: Tally;
  /** By what is violated: `validity`, `fenced`, `liveness`, `open`, `belief`. */
  readonly firsts: ReadonlyMap<string, First>;
}

/** A whole search is played, so that counts can be compared. */
export async function tryFault(
  { subject, setups }: Column,
  fault: FaultId,
  { schedules, seed }: { readonly schedules: number; readonly seed: number },
): Promise<Tried> {
  let tally: Tally = NO_TALLY;
  const firsts = new Map<string, First>();
  for (const setup of setups) {
    const searched = await search({
      subject,
      setup,
      faults: [fault],
      budget: schedules,
      seed,
      onViolation(schedule, violation, n) {
        if (violation.kind === 'unknown')
          throw new Error(`${subject.name}: cannot be judged: ${violation.message}`);
        const name = nameOf(violation);
        if (!firsts.has(name)) firsts.set(name, { n, schedule, violation });
      },
    });
    tally = sumOf(tally, searched.tally);
  }
  return { tally, firsts };
}

/** The schedules that a lock is tried by, so that others can be tried by the very same. */
export function setupFor(subject: Subject): Partial<Setup> {
  return setupOf({ subject });
}
