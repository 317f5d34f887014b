import {
  type Explored,
  exhaust,
  type Scope,
  type Subject,
  type TimeModel,
} from '@holdfast/harness/simulator';
import { propertyName } from '../../src/search/index.ts';
import { violationsOf } from '../../src/search/violations.ts';

/** The result of an exhaustive search. */
export interface Outcome extends Explored {
  /** Every end state, together with what is wrong with the runs that end in it. */
  readonly ends: ReadonlySet<string>;
  /** In how many runs to the end each property was violated. */
  readonly violated: Readonly<Record<string, number>>;
}

export interface Search {
  readonly scope: Scope;
  readonly timeModel: TimeModel;
  readonly naive?: boolean;
  readonly budget?: number;
}

/** Without end. */
const BUDGET = 1_000_000_000;

/** Goes through everything, whatever it finds. */
export async function outcomeOf(
  subject: Subject,
  { scope, timeModel, naive = false, budget = BUDGET }: Search,
): Promise<Outcome> {
  const ends = new Set<string>();
  const violated: Record<string, number> = {};
  const explored = await exhaust(subject, scope, {
    timeModel,
    budget,
    naive,
    onRun: ({ played, endState }) => {
      const names = violationsOf(played).map((each) => `${propertyName(each)} ${each.kind}`);
      for (const name of names) violated[name] = (violated[name] ?? 0) + 1;
      ends.add([endState, ...names].join('\n'));
      return true;
    },
  });
  return { ...explored, ends, violated };
}
