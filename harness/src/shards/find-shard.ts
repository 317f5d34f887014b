import { type SearchListener, searchInParallel } from '../find/find.ts';
import { HangError, type LockRunner } from '../find/lock-runner.ts';
import type { SearchRequest } from '../find/search-request.ts';
import { EMPTY_TALLY } from '../search/index.ts';
import type { FindCampaign, FindShard } from './report.ts';
import { type Shard, shareOf } from './shard.ts';

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
