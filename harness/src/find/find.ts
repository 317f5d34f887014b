import {
  NO_TALLY,
  portionOf,
  type Share,
  sumOf,
  type Tally,
  type Told,
  WHOLE,
} from '../search/index.ts';
import { Bound } from './bound.ts';
import { bestHit, type Hunted, NOTHING, together } from './hunt.ts';
import type { Quest } from './quest.ts';
import { type Stuck, stuckStory } from './stuck.ts';
import { StillError, type Trial } from './trial.ts';

/** What became of a quest. */
export type Finding =
  | { readonly kind: 'found'; readonly told: Told; readonly n: number; readonly tally: Tally }
  | { readonly kind: 'none'; readonly tally: Tally }
  /** The lock's own code never yielded: there is no trace, but it has been found out. */
  | ({ readonly kind: 'still'; readonly message: string } & Stuck);

/** Hears of a search while it goes on. */
export interface Witness {
  searching(tally: Tally): void;
  /** Something was found after so many schedules, and is being made small. */
  shrinking(n: number): void;
  /** A lock hung, and the schedule in which it did is being made small. */
  hung?(): void;
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
    return await stillOf(quest, error, witness);
  }
}

/** What becomes of a quest in which the lock hung. */
export async function stillOf(
  quest: Quest,
  { message, schedule }: Pick<StillError, 'message' | 'schedule'>,
  witness: Witness,
): Promise<Finding> {
  witness.hung?.();
  return { kind: 'still', message, ...(await stuckStory(quest, schedule)) };
}

async function pursue(quest: Quest, trials: readonly Trial[], witness: Witness): Promise<Finding> {
  return await conclude(quest, await huntAll(quest, trials, { witness }), { trials, witness });
}

/** All the trials at once, each of them a part of the share. */
export async function huntAll(
  quest: Quest,
  trials: readonly Trial[],
  { share = WHOLE, witness }: { readonly share?: Share; readonly witness: Witness },
): Promise<Hunted> {
  const bound = new Bound(quest.budget);
  const tallies = new Map<number, Tally>();
  const hunts = trials.map((trial, nth) =>
    trial.hunt(quest, {
      bound,
      share: portionOf(share, nth, trials.length),
      onProgress: (tally) => {
        tallies.set(nth, tally);
        witness.searching([...tallies.values()].reduce(sumOf, NO_TALLY));
      },
    }),
  );
  return (await Promise.all(hunts)).reduce(together, NOTHING);
}

/** Makes a story of the worst among what was hunted. */
export async function conclude(
  quest: Quest,
  { hits, tally }: Hunted,
  { trials: [trial], witness }: { readonly trials: readonly Trial[]; readonly witness: Witness },
): Promise<Finding> {
  const hit = bestHit(quest, hits);
  if (hit === undefined || trial === undefined) return { kind: 'none', tally };
  witness.shrinking(hit.n);
  const { property, fenced } = hit.violation;
  const told = await trial.tell(hit.schedule, { property, fenced });
  return { kind: 'found', told, n: hit.n, tally };
}
