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
  readonly request: SearchRequest;
  /** The finding of one search of the whole budget; its tally is that of all shards. */
  readonly finding: SearchFinding;
}

/**
 * Merges shards to one finding. The lock has to be available, because a hit is minimised only now.
 * @param folder where the lookup of an external lock starts
 * @throws ShardError if the lock, or the simulator, is not the one that was searched
 */
export async function mergeFind(
  { first, reports }: ShardSet<FindShard>,
  { folder, listener }: { readonly folder: string; readonly listener: SearchListener },
): Promise<MergedFind> {
  const { fingerprint: _, property, ...fields } = first.campaign;
  const request: SearchRequest = { ...fields, folder, ...(property === null ? {} : { property }) };
  const still = reports.find((report) => report.still !== null)?.still ?? undefined;
  if (still !== undefined) return { request, finding: await hangFinding(request, still, listener) };
  const part = reports.reduce<SearchPart>(mergeSearchParts, EMPTY_SEARCH_PART);
  if (part.hits.length === 0) return { request, finding: { kind: 'none', tally: part.tally } };
  const runners = await openRunners(request.lock, folder, 1);
  try {
    for (const runner of runners)
      if ((await runner.fingerprint(request)) !== first.campaign.fingerprint)
        throw notTheSame(request);
    return { request, finding: await conclude(request, part, { runners, listener }) };
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
}

function notTheSame({ lock }: SearchRequest): ShardError {
  return new ShardError(
    `${lock} has other results here than where it was searched: the lock or the simulator differs`,
    { hint: 'Merge with the code that ran the shards.' },
  );
}

/** Searches one shard of a request, until no better hit is possible in it. Hits are minimised after all shards are merged. */
export async function findShard(
  request: SearchRequest,
  shard: Shard,
  { runners, listener, holdfast }: FindShardContext,
): Promise<FindShard> {
  const head = { format: 'holdfast-shard', version: 1, holdfast, kind: 'find', shard } as const;
  let fingerprint: string | null = null;
  try {
    for (const runner of runners.slice(0, 1)) fingerprint = await runner.fingerprint(request);
    const part = await searchInParallel(request, runners, { share: shareOf(shard), listener });
    return { ...head, campaign: campaignOf(request, fingerprint), ...part, still: null };
  } catch (error) {
    if (!(error instanceof HangError)) throw error;
    const { message, schedule } = error;
    const campaign = campaignOf(request, fingerprint);
    return { ...head, campaign, tally: EMPTY_TALLY, hits: [], still: { message, schedule } };
  }
}

interface FindShardContext {
  readonly runners: readonly LockRunner[];
  readonly listener: SearchListener;
  /** The version of this package. */
  readonly holdfast: string;
}

function campaignOf(
  { lock, faults, fenced, property, budget, seed }: SearchRequest,
  fingerprint: string | null,
): FindCampaign {
  return { lock, faults, fenced, property: property ?? null, budget, seed, fingerprint };
}
