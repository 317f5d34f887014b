import type { Schedule } from '@holdfast/sim';
import { NO_TALLY, sumOf, type Tally, type Told } from '../search/index.ts';
import { Bound } from './bound.ts';
import { bestHit } from './hunt.ts';
import type { Quest } from './quest.ts';
import { StillError, type Trial } from './trial.ts';

/** What became of a quest. */
export type Finding =
  | { readonly kind: 'found'; readonly told: Told; readonly n: number; readonly tally: Tally }
  | { readonly kind: 'none'; readonly tally: Tally }
  /** The lock's own code never yielded: nothing can be replayed, but it has been found out. */
  | { readonly kind: 'still'; readonly message: string; readonly schedule: Schedule };

/** Hears of a search while it goes on. */
export interface Witness {
  searching(tally: Tally): void;
  /** Something was found after so many schedules, and is being made small. */
  shrinking(n: number): void;
}

/** Searches with all the trials at once, then makes a story of the worst that was found. What is found does not depend on how many there are. */
export async function find(
  quest: Quest,
  trials: readonly Trial[],
  witness: Witness,
): Promise<Finding> {
  try {
    return await pursue(quest, trials, witness);
  } catch (error) {
    if (!(error instanceof StillError)) throw error;
    return { kind: 'still', message: error.message, schedule: error.schedule };
  }
}

async function pursue(quest: Quest, trials: readonly Trial[], witness: Witness): Promise<Finding> {
  const bound = new Bound(quest.budget);
  const tallies = new Map<number, Tally>();
  const hunts = trials.map((trial, first) =>
    trial.hunt(quest, {
      bound,
      share: { first, of: trials.length },
      onProgress: (tally) => {
        tallies.set(first, tally);
        witness.searching([...tallies.values()].reduce(sumOf, NO_TALLY));
      },
    }),
  );
  const hunted = await Promise.all(hunts);
  const tally = hunted.map((each) => each.tally).reduce(sumOf, NO_TALLY);
  const hit = bestHit(
    quest,
    hunted.flatMap(({ hits }) => hits),
    bound,
  );
  const [trial] = trials;
  if (hit === undefined || trial === undefined) return { kind: 'none', tally };
  witness.shrinking(hit.n);
  const { property, fenced } = hit.violation;
  const told = await trial.tell(hit.schedule, { property, fenced });
  return { kind: 'found', told, n: hit.n, tally };
}
