import { lockNamed } from '../locks/index.ts';
import {
  addTallies,
  type Counterexample,
  EMPTY_TALLY,
  type SearchOptions,
  type Share,
  search,
  type Tally,
  type TargetProperty,
} from '../search/index.ts';
import type { Schedule, Subject } from '../simulator/index.ts';
import {
  extraSchedules,
  isSame,
  primaryTarget,
  type SearchRequest,
  secondaryTargets,
} from './search-request.ts';
import type { SharedLimit } from './shared-memory.ts';

/** The result of a search, or of one thread's share of it: the first hit of every kind. */
export interface SearchPart {
  readonly hits: readonly Counterexample[];
  readonly tally: Tally;
}

export interface SearchPartOptions {
  /** Shared by all threads of one request, so that the result does not depend on which thread finds what first. */
  readonly limit: SharedLimit;
  readonly share: Share;
  readonly onPlay?: (schedule: Schedule) => void;
  readonly onProgress?: (tally: Tally) => void;
}

/** Runs schedules until no better hit is possible. */
export async function searchPart(
  request: SearchRequest,
  subject: Subject,
  options: SearchPartOptions,
): Promise<SearchPart> {
  const { limit, share, onPlay, onProgress } = options;
  const primary = primaryTarget(request);
  const secondary = secondaryTargets(request);
  const hits = new Map<string, Counterexample>();
  const { tally } = await search({
    subject,
    budget: request.budget,
    ...schedulesOf(request),
    share,
    limit: () => limit.n,
    onViolation(schedule, violation, n) {
      const wanted = [primary, ...secondary].find((each) => isSame(each, violation));
      if (wanted === undefined || hits.has(wanted.property)) return;
      hits.set(wanted.property, { schedule, violation, n });
      // Later schedules no longer matter; earlier ones may still run in other threads.
      limit.lower(lastRelevantSchedule(request, { n, violation }));
    },
    ...(onPlay === undefined ? {} : { onPlay }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  return { hits: [...hits.values()], tally };
}

/** The options that decide which schedules a request runs. */
export function schedulesOf({
  lock,
  faults,
  seed,
  property,
}: SearchRequest): Pick<SearchOptions, 'faults' | 'seed' | 'setup'> {
  const setup = {
    // Faults that keep healing hide clients that wait forever.
    ...(property === 'liveness' ? { aftermath: true } : {}),
    // With an explicit number of nodes schedules use as many.
    ...(lockNamed(lock)?.sizes !== undefined ? { fewer: true } : {}),
  };
  return { faults, seed, setup };
}

export const EMPTY_SEARCH_PART: SearchPart = { hits: [], tally: EMPTY_TALLY };

/** Merges two parts of a search; of one kind there may be two hits. */
export function mergeSearchParts(a: SearchPart, b: SearchPart): SearchPart {
  return { hits: [...a.hits, ...b.hits], tally: addTallies(a.tally, b.tally) };
}

/** The hit that a request reports: the first of the worst kind, as a single thread would have found it. */
export function bestHit(
  request: SearchRequest,
  hits: readonly Counterexample[],
): Counterexample | undefined {
  const last = Math.min(...hits.map((hit) => lastRelevantSchedule(request, hit)));
  const within = hits.filter(({ n }) => n <= last).toSorted((a, b) => a.n - b.n);
  return [primaryTarget(request), ...secondaryTargets(request)]
    .map((wanted: TargetProperty) => within.find(({ violation }) => isSame(wanted, violation)))
    .find((hit) => hit !== undefined);
}

/** The number of the last schedule that still matters after a hit. */
function lastRelevantSchedule(
  request: SearchRequest,
  { n, violation }: Pick<Counterexample, 'n' | 'violation'>,
): number {
  return isSame(primaryTarget(request), violation) ? n : n + extraSchedules(request);
}
