import type { Quest } from '../../src/find/quest.ts';
import { trialHere } from '../../src/find/trial-here.ts';
import { subjectOf } from '../../src/locks/index.ts';
import { findShard } from '../../src/shards/find-shard.ts';
import type { FindShard } from '../../src/shards/report.ts';

const SILENT = { searching() {}, shrinking() {} };
const VERSION = '0.1.0';

/** One of our locks, searched for one fault. */
export function questOf(lock: string, quest: Partial<Quest> = {}): Quest {
  return { lock, folder: '.', faults: ['pause'], fenced: false, budget: 256, seed: 1, ...quest };
}

/** The report of shard `k`. */
export function shardOf(
  quest: Quest,
  k: number,
  of: number,
  lock = quest.lock,
): Promise<FindShard> {
  const subject = subjectOf(lock);
  const parts = { trials: [trialHere(subject)], witness: SILENT, holdfast: VERSION };
  return findShard(quest, { k, of }, parts);
}
