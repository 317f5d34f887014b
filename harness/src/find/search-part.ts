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

/** What a search, or one thread's share of it, came upon: of every kind the first. */
export interface SearchPart {
  readonly hits: readonly Counterexample[];
  readonly tally: Tally;
}

export interface SearchPartOptions {
  /** Shared by all threads of one quest: which of them finds what first makes no difference to what is found. */
  readonly limit: SharedLimit;
  readonly share: Share;
  readonly onPlay?: (schedule: Schedule) => void;
  readonly onProgress?: (tally: Tally) => void;
}

/** Plays schedules until nothing better can come any more. */
export async function searchPart(
  quest: SearchRequest,
  subject: Subject,
  options: SearchPartOptions,
): Promise<SearchPart> {
  const { limit, share, onPlay, onProgress } = options;
  const chief = primaryTarget(quest);
  const lesser = secondaryTargets(quest);
  const hits = new Map<string, Counterexample>();
  const { tally } = await search({
    subject,
    budget: quest.budget,
    ...schedulesOf(quest),
    share,
    limit: () => limit.n,
    onViolation(schedule, violation, n) {
      const wanted = [chief, ...lesser].find((each) => isSame(each, violation));
      if (wanted === undefined || hits.has(wanted.property)) return;
      hits.set(wanted.property, { schedule, violation, n });
      // Later schedules cannot matter any more; earlier ones may still be under way elsewhere.
      limit.lower(lastRelevantPlace(quest, { n, violation }));
    },
    ...(onPlay === undefined ? {} : { onPlay }),
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  return { hits: [...hits.values()], tally };
}

/** Which schedules a quest plays. */
export function schedulesOf({
  lock,
  faults,
  seed,
  property,
}: SearchRequest): Pick<SearchOptions, 'faults' | 'seed' | 'setup'> {
  const setup = {
    // Faults that heal again and again hide whoever waits for ever.
    ...(property === 'liveness' ? { aftermath: true } : {}),
    // Who says how many nodes there are means so many.
    ...(lockNamed(lock)?.sizes !== undefined ? { fewer: true } : {}),
  };
  return { faults, seed, setup };
}

export const EMPTY_SEARCH_PART: SearchPart = { hits: [], tally: EMPTY_TALLY };

/** What two parts of a search came upon: of a kind perhaps two hits. */
export function mergeSearchParts(a: SearchPart, b: SearchPart): SearchPart {
  return { hits: [...a.hits, ...b.hits], tally: addTallies(a.tally, b.tally) };
}

/** The hit that a quest is about: the first of the worst kind, as one thread alone would have found it. */
export function bestHit(
  quest: SearchRequest,
  hits: readonly Counterexample[],
): Counterexample | undefined {
  const last = Math.min(...hits.map((hit) => lastRelevantPlace(quest, hit)));
  const within = hits.filter(({ n }) => n <= last).toSorted((a, b) => a.n - b.n);
  return [primaryTarget(quest), ...secondaryTargets(quest)]
    .map((wanted: TargetProperty) => within.find(({ violation }) => isSame(wanted, violation)))
    .find((hit) => hit !== undefined);
}

/** After a hit, the place of the last schedule that can still matter. */
function lastRelevantPlace(
  quest: SearchRequest,
  { n, violation }: Pick<Counterexample, 'n' | 'violation'>,
): number {
  return isSame(primaryTarget(quest), violation) ? n : n + extraSchedules(quest);
}
