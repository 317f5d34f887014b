import { type Chooser } from './choice.ts';
import { Path } from './path.ts';

/** Plays a run from its beginning, as the chooser says. Returns whether it was played to its end. */
export type ExploreRun = (chooser: Chooser) => Promise<boolean>;

export interface ExploreOptions {
  /** How many runs at most, those included that are left half way. */
  readonly budget: number;
  /** Tries every order of all steps, the many that come to the same too: to show that nothing is missed without. */
  readonly naive?: boolean;
  /** Told after every run to the end by which choices it went; returns whether to go on. */
  readonly onRun: (choices: readonly string[], soFar: Explored) => boolean;
}

export interface Explored {
  /** Runs to the end; of all that differ only in the order of steps that commute, exactly one. */
  readonly runs: number;
  /** Runs that were left, because whatever could come next had been tried in an order that comes to the same. */
  readonly left: number;
  /** Whether there is nothing that was not tried. */
  readonly isComplete: boolean;
}

/**
 * Goes through all orders in which the steps of a run can come, depth first. Runs cannot be copied, since promises cannot,
 * so each begins anew. Of orders that come to the same one is tried, by sleep sets: Godefroid, Partial-Order Methods for
 * the Verification of Concurrent Systems (LNCS 1032, 1996), section 5.
 */
export async function explore(
  run: ExploreRun,
  { budget, naive = false, onRun }: ExploreOptions,
): Promise<Explored> {
  const path = new Path(naive);
  let [runs, left] = [0, 0];
  while (runs + left < budget) {
    const isWhole = await run(path.begin());
    if (isWhole) runs++;
    else left++;
    const goesOn = !isWhole || onRun(path.choices, { runs, left, isComplete: false });
    const isComplete = !path.turn();
    if (isComplete || !goesOn) return { runs, left, isComplete };
  }
  return { runs, left, isComplete: false };
}
