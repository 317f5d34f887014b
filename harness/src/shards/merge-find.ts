import { conclude, type Finding, stillOf, type Witness } from '../find/find.ts';
import { type Hunted, NOTHING, together } from '../find/hunt.ts';
import { openTrials } from '../find/open-trial.ts';
import type { Quest } from '../find/quest.ts';
import type { Gathered } from './gather.ts';
import type { FindShard } from './report.ts';
import { ShardError } from './shard-error.ts';

export interface MergedFind {
  readonly quest: Quest;
  /** What one search of the whole budget would have found; its tally is that of all shards. */
  readonly finding: Finding;
}

/**
 * Makes one finding of shards: the lock has to be there, as what was found is made small only now.
 * @param folder from where a lock of one's own is looked up
 * @throws ShardError where the lock, or the simulator, is not the one that was searched
 */
export async function mergeFind(
  { first, reports }: Gathered<FindShard>,
  { folder, witness }: { readonly folder: string; readonly witness: Witness },
): Promise<MergedFind> {
  const { fingerprint: _, property, ...asked } = first.campaign;
  const quest: Quest = { ...asked, folder, ...(property === null ? {} : { property }) };
  const still = reports.find((report) => report.still !== null)?.still ?? undefined;
  if (still !== undefined) return { quest, finding: await stillOf(quest, still, witness) };
  const hunted = reports.reduce<Hunted>(together, NOTHING);
  if (hunted.hits.length === 0) return { quest, finding: { kind: 'none', tally: hunted.tally } };
  const trials = await openTrials(quest.lock, folder, 1);
  try {
    for (const trial of trials)
      if ((await trial.fingerprint(quest)) !== first.campaign.fingerprint) throw notTheSame(quest);
    return { quest, finding: await conclude(quest, hunted, { trials, witness }) };
  } finally {
    await Promise.all(trials.map((trial) => trial.close()));
  }
}

function notTheSame({ lock }: Quest): ShardError {
  return new ShardError(
    `${lock} plays its schedules otherwise here than where it was searched: the lock or the simulator is not the same`,
    { hint: 'Merge with the code that played.' },
  );
}
