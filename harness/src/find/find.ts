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

/** The result of a search. */
export type SearchFinding =
  | {
      readonly kind: 'found';
      readonly traced: TracedStory;
      readonly n: number;
      readonly tally: Tally;
    }
  | { readonly kind: 'none'; readonly tally: Tally }
  /** The lock's own code never yielded, so there is no trace. */
  | ({ readonly kind: 'hang'; readonly message: string } & HangStory);

/** Listens to the progress of a search. */
export interface SearchListener {
  onProgress(tally: Tally): void;
  /** Called after `n` schedules with a violation, before it is minimised. */
  onShrink(n: number): void;
  /** Called after a lock hung, before its schedule is minimised. */
  onHang?(): void;
}

/** Searches with all runners at once, then makes a story of the worst violation. The result does not depend on their number. */
export async function find(
  request: SearchRequest,
  runners: readonly LockRunner[],
  listener: SearchListener,
): Promise<SearchFinding> {
  try {
    return await searchAndMinimise(request, runners, listener);
  } catch (error) {
    if (!(error instanceof HangError)) throw error;
    return await hangFinding(request, error, listener);
  }
}

/** The finding of a search in which the lock hung. */
export async function hangFinding(
  request: SearchRequest,
  { message, schedule }: Pick<HangError, 'message' | 'schedule'>,
  listener: SearchListener,
): Promise<SearchFinding> {
  listener.onHang?.();
  return { kind: 'hang', message, ...(await hangStory(request, schedule)) };
}

async function searchAndMinimise(
  request: SearchRequest,
  runners: readonly LockRunner[],
  listener: SearchListener,
): Promise<SearchFinding> {
  return await conclude(request, await searchInParallel(request, runners, { listener }), {
    runners,
    listener,
  });
}

/** Runs all runners at once, each with its part of the share. */
export async function searchInParallel(
  request: SearchRequest,
  runners: readonly LockRunner[],
  { share = WHOLE, listener }: { readonly share?: Share; readonly listener: SearchListener },
): Promise<SearchPart> {
  const limit = new SharedLimit(request.budget);
  const tallies = new Map<number, Tally>();
  const parts = runners.map((runner, nth) =>
    runner.searchPart(request, {
      limit,
      share: subShare(share, nth, runners.length),
      onProgress: (tally) => {
        tallies.set(nth, tally);
        listener.onProgress([...tallies.values()].reduce(addTallies, EMPTY_TALLY));
      },
    }),
  );
  return (await Promise.all(parts)).reduce(mergeSearchParts, EMPTY_SEARCH_PART);
}

/** Makes a story of the worst hit of a search. */
export async function conclude(
  request: SearchRequest,
  { hits, tally }: SearchPart,
  {
    runners: [runner],
    listener,
  }: { readonly runners: readonly LockRunner[]; readonly listener: SearchListener },
): Promise<SearchFinding> {
  const hit = bestHit(request, hits);
  if (hit === undefined || runner === undefined) return { kind: 'none', tally };
  listener.onShrink(hit.n);
  const { property, fenced } = hit.violation;
  const traced = await runner.replayTraced(hit.schedule, { property, fenced });
  return { kind: 'found', traced, n: hit.n, tally };
}
