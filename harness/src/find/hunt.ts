import { lockNamed } from '../locks/index.ts';
import {
  type Hit,
  NO_TALLY,
  type SearchOptions,
  type Share,
  search,
  sumOf,
  type Tally,
  type Wanted,
} from '../search/index.ts';
import type { Schedule, Subject } from '../simulator/index.ts';
import type { Bound } from './bound.ts';
import { chiefOf, isSame, lesserOf, moreAfterLesser, type Quest } from './quest.ts';

/** What a search, or one thread's share of it, came upon: of every kind the first. */
export interface Hunted {
  readonly hits: readonly Hit[];
  readonly tally: Tally;
}

export interface HuntOptions {
  /** Shared by all threads of one quest: which of them finds what first makes no difference to what is found. */
  readonly bound: Bound;
  readonly share: Share;
  readonly onPlay?: (schedule: Schedule) => void;
  readonly onProgress?: (tally: Tally) => void;
}

/** Plays schedules until nothing better can come any more. */
export async function hunt(quest: Quest, subject: Subject, options: HuntOptions): Promise<Hunted> {
  const { bound, share, onPlay, onProgress } = options;
  const chief = chiefOf(quest);
  const lesser = lesserOf(quest);
  const hits = new Map<string, Hit>();
  const { tally } = await search({
    subject,
    budget: quest.budget,
    ...schedulesOf(quest),
    share,
    until: () => bound.n,
    onViolation(schedule, violation, n) {
      const wanted = [chief, ...lesser].find((each) => isSame(each, violation));
      if (wanted === undefined || hits.has(wanted.property)) return;
      hits.set(wanted.property, { schedule, violation, n });
      // Later schedules cannot matter any more; earlier ones may still be under way elsewhere.
      bound.lower(lastOf(quest, { n, violation }));
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
}: Quest): Pick<SearchOptions, 'faults' | 'seed' | 'setup'> {
  const setup = {
    // Faults that heal again and again hide whoever waits for ever.
    ...(property === 'liveness' ? { aftermath: true } : {}),
    // Who says how many nodes there are means so many.
    ...(lockNamed(lock)?.sizes !== undefined ? { fewer: true } : {}),
  };
  return { faults, seed, setup };
}

export const NOTHING: Hunted = { hits: [], tally: NO_TALLY };

/** What two parts of a search came upon: of a kind perhaps two hits. */
export function together(a: Hunted, b: Hunted): Hunted {
  return { hits: [...a.hits, ...b.hits], tally: sumOf(a.tally, b.tally) };
}

/** The hit that a quest is about: the first of the worst kind, as one thread alone would have found it. */
export function bestHit(quest: Quest, hits: readonly Hit[]): Hit | undefined {
  const last = Math.min(...hits.map((hit) => lastOf(quest, hit)));
  const within = hits.filter(({ n }) => n <= last).toSorted((a, b) => a.n - b.n);
  return [chiefOf(quest), ...lesserOf(quest)]
    .map((wanted: Wanted) => within.find(({ violation }) => isSame(wanted, violation)))
    .find((hit) => hit !== undefined);
}

/** After a hit, the place of the last schedule that can still matter. */
function lastOf(quest: Quest, { n, violation }: Pick<Hit, 'n' | 'violation'>): number {
  return isSame(chiefOf(quest), violation) ? n : n + moreAfterLesser(quest);
}
