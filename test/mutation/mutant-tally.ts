import { reasonOf } from './equivalents.ts';
import { isAlive, type Ledger, REFUSED } from './ledger.ts';
import type { Mutant } from './mutant.ts';

/** The judge that noticed a mutant first, in the order in which they run; the first few schedules come before scenes. */
export const FINDERS = ['contract', 'unit', 'schedules', 'scene', 'end'] as const;
export type Finder = (typeof FINDERS)[number];

/** Counts of the results of some mutants. */
export interface MutantTally {
  readonly mutants: number;
  readonly refused: number;
  readonly found: Readonly<Record<Finder, number>>;
  readonly equivalent: readonly Mutant[];
  readonly open: readonly Mutant[];
  readonly unplayed: number;
}

export function tallyOf(
  mutants: readonly Mutant[],
  sample: ReadonlySet<Mutant>,
  ledger: Ledger,
): MutantTally {
  const found = { contract: 0, unit: 0, schedules: 0, scene: 0, end: 0 };
  const equivalent: Mutant[] = [];
  const open: Mutant[] = [];
  let refused = 0;
  let unplayed = 0;
  for (const mutant of mutants) {
    const came = sample.has(mutant) ? ledger.of(mutant) : undefined;
    if (came === undefined) unplayed += 1;
    else if (came === REFUSED) refused += 1;
    else if (!isAlive(came)) found[finderOf(came)] += 1;
    else if (reasonOf(mutant) === undefined) open.push(mutant);
    else equivalent.push(mutant);
  }
  return { mutants: mutants.length, refused, found, equivalent, open, unplayed };
}

export function killed({ found }: MutantTally): number {
  return FINDERS.reduce((sum, finder) => sum + found[finder], 0);
}

/** The share among mutants that were played, compile and are not equivalent. */
export function killedShare(tally: MutantTally): number {
  const count = killed(tally);
  return count + tally.open.length === 0 ? 1 : count / (count + tally.open.length);
}

/** A mutant whose process died while it was loaded or judged counts as `end`. */
function finderOf(came: string): Finder {
  const [name] = came.split(':');
  return FINDERS.find((finder) => finder === name) ?? 'end';
}
