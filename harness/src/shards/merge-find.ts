import { conclude, hangFinding, type SearchFinding, type SearchListener } from '../find/find.ts';
import { openRunners } from '../find/open-runners.ts';
import { EMPTY_SEARCH_PART, mergeSearchParts, type SearchPart } from '../find/search-part.ts';
import type { SearchRequest } from '../find/search-request.ts';
import type { ShardSet } from './gather-shards.ts';
import type { FindShard } from './report.ts';
import { ShardError } from './shard-error.ts';

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
