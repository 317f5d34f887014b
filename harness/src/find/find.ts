import {
  addTallies,
  EMPTY_TALLY,
  type Share,
  subShare,
  type Tally,
  type TracedStory,
  WHOLE,
} from '../search/index.ts';
import { type HangStory, hangStory } from './hang-story.ts';
import { HangError, type LockRunner } from './lock-runner.ts';
import { bestHit, EMPTY_SEARCH_PART, mergeSearchParts, type SearchPart } from './search-part.ts';
import type { SearchRequest } from './search-request.ts';
import { SharedLimit } from './shared-memory.ts';

/** What became of a quest. */
export type SearchFinding =
  | {
      readonly kind: 'found';
      readonly told: TracedStory;
      readonly n: number;
      readonly tally: Tally;
    }
  | { readonly kind: 'none'; readonly tally: Tally }
  /** The lock's own code never yielded: there is no trace, but it has been found out. */
  | ({ readonly kind: 'still'; readonly message: string } & HangStory);

/** Hears of a search while it goes on. */
export interface SearchListener {
  onProgress(tally: Tally): void;
  /** Something was found after so many schedules, and is being made small. */
  onShrink(n: number): void;
  /** A lock hung, and the schedule in which it did is being made small. */
  onHang?(): void;
}

/** Searches with all the trials at once, then makes a story of the worst that was found. What is found does not depend on how many there are. */
export async function find(
  quest: SearchRequest,
  trials: readonly LockRunner[],
  witness: SearchListener,
): Promise<SearchFinding> {
  try {
    return await searchAndMinimise(quest, trials, witness);
  } catch (error) {
    if (!(error instanceof HangError)) throw error;
    return await hangFinding(quest, error, witness);
  }
}

/** What becomes of a quest in which the lock hung. */
export async function hangFinding(
  quest: SearchRequest,
  { message, schedule }: Pick<HangError, 'message' | 'schedule'>,
  witness: SearchListener,
): Promise<SearchFinding> {
  witness.onHang?.();
  return { kind: 'still', message, ...(await hangStory(quest, schedule)) };
}

async function searchAndMinimise(
  quest: SearchRequest,
  trials: readonly LockRunner[],
  witness: SearchListener,
): Promise<SearchFinding> {
  return await conclude(quest, await searchInParallel(quest, trials, { witness }), {
    trials,
    witness,
  });
}

/** All the trials at once, each of them a part of the share. */
export async function searchInParallel(
  quest: SearchRequest,
  trials: readonly LockRunner[],
  { share = WHOLE, witness }: { readonly share?: Share; readonly witness: SearchListener },
): Promise<SearchPart> {
  const limit = new SharedLimit(quest.budget);
  const tallies = new Map<number, Tally>();
  const hunts = trials.map((trial, nth) =>
    trial.searchPart(quest, {
      limit,
      share: subShare(share, nth, trials.length),
      onProgress: (tally) => {
        tallies.set(nth, tally);
        witness.onProgress([...tallies.values()].reduce(addTallies, EMPTY_TALLY));
      },
    }),
  );
  return (await Promise.all(hunts)).reduce(mergeSearchParts, EMPTY_SEARCH_PART);
}

/** Makes a story of the worst among what was hunted. */
export async function conclude(
  quest: SearchRequest,
  { hits, tally }: SearchPart,
  {
    trials: [trial],
    witness,
  }: { readonly trials: readonly LockRunner[]; readonly witness: SearchListener },
): Promise<SearchFinding> {
  const hit = bestHit(quest, hits);
  if (hit === undefined || trial === undefined) return { kind: 'none', tally };
  witness.onShrink(hit.n);
  const { property, fenced } = hit.violation;
  const told = await trial.replayTraced(hit.schedule, { property, fenced });
  return { kind: 'found', told, n: hit.n, tally };
}
