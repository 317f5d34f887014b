import {
  conclude,
  hangFinding,
  type SearchFinding,
  type SearchListener,
  searchInParallel,
} from '../find/find.ts';
import { HangError, type LockRunner } from '../find/lock-runner.ts';
import { openRunners } from '../find/open-runners.ts';
import { EMPTY_SEARCH_PART, mergeSearchParts, type SearchPart } from '../find/search-part.ts';
import type { SearchRequest } from '../find/search-request.ts';
import { EMPTY_TALLY } from '../search/index.ts';
import type { ShardSet } from './gather-shards.ts';
import type { FindCampaign, FindShard } from './report.ts';
import { type Shard, ShardError, shareOf } from './shard.ts';

export interface MergedFind {
  readonly quest: SearchRequest;
  /** What one search of the whole budget would have found; its tally is that of all shards. */
  readonly finding: SearchFinding;
}

/**
 * Makes one finding of shards: the lock has to be there, as what was found is made small only now.
 * @param folder from where a lock of one's own is looked up
 * @throws ShardError where the lock, or the simulator, is not the one that was searched
 */
export async function mergeFind(
  { first, reports }: ShardSet<FindShard>,
  { folder, witness }: { readonly folder: string; readonly witness: SearchListener },
): Promise<MergedFind> {
  const { fingerprint: _, property, ...asked } = first.campaign;
  const quest: SearchRequest = { ...asked, folder, ...(property === null ? {} : { property }) };
  const still = reports.find((report) => report.still !== null)?.still ?? undefined;
  if (still !== undefined) return { quest, finding: await hangFinding(quest, still, witness) };
  const hunted = reports.reduce<SearchPart>(mergeSearchParts, EMPTY_SEARCH_PART);
  if (hunted.hits.length === 0) return { quest, finding: { kind: 'none', tally: hunted.tally } };
  const trials = await openRunners(quest.lock, folder, 1);
  try {
    for (const trial of trials)
      if ((await trial.fingerprint(quest)) !== first.campaign.fingerprint) throw notTheSame(quest);
    return { quest, finding: await conclude(quest, hunted, { trials, witness }) };
  } finally {
    await Promise.all(trials.map((trial) => trial.close()));
  }
}

function notTheSame({ lock }: SearchRequest): ShardError {
  return new ShardError(
    `${lock} plays its schedules otherwise here than where it was searched: the lock or the simulator is not the same`,
    { hint: 'Merge with the code that played.' },
  );
}

/** Searches one shard of a quest, until nothing better can come in it. What is found is made small when all are merged. */
export async function findShard(
  quest: SearchRequest,
  shard: Shard,
  { trials, witness, holdfast }: FindShardContext,
): Promise<FindShard> {
  const head = { format: 'holdfast-shard', version: 1, holdfast, kind: 'find', shard } as const;
  let fingerprint: string | null = null;
  try {
    for (const trial of trials.slice(0, 1)) fingerprint = await trial.fingerprint(quest);
    const hunted = await searchInParallel(quest, trials, { share: shareOf(shard), witness });
    return { ...head, campaign: campaignOf(quest, fingerprint), ...hunted, still: null };
  } catch (error) {
    if (!(error instanceof HangError)) throw error;
    const { message, schedule } = error;
    const campaign = campaignOf(quest, fingerprint);
    return { ...head, campaign, tally: EMPTY_TALLY, hits: [], still: { message, schedule } };
  }
}

interface FindShardContext {
  readonly trials: readonly LockRunner[];
  readonly witness: SearchListener;
  /** The version of this package. */
  readonly holdfast: string;
}

function campaignOf(
  { lock, faults, fenced, property, budget, seed }: SearchRequest,
  fingerprint: string | null,
): FindCampaign {
  return { lock, faults, fenced, property: property ?? null, budget, seed, fingerprint };
}
