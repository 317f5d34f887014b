import { inlineRunner } from '../../src/find/open-runners.ts';
import type { SearchRequest } from '../../src/find/search-request.ts';
import { subjectOf } from '../../src/locks/index.ts';
import { findShard } from '../../src/shards/merge-find.ts';
import type { FindShard } from '../../src/shards/report.ts';

const SILENT = { onProgress() {}, onShrink() {} };
const VERSION = '0.1.0';

/** One of our locks, searched for one fault. */
export function requestOf(lock: string, request: Partial<SearchRequest> = {}): SearchRequest {
  return { lock, folder: '.', faults: ['pause'], fenced: false, budget: 256, seed: 1, ...request };
}

/** The report of shard `k`. */
export function shardOf(
  request: SearchRequest,
  k: number,
  of: number,
  lock = request.lock,
): Promise<FindShard> {
  const subject = subjectOf(lock);
  const parts = { runners: [inlineRunner(subject)], listener: SILENT, holdfast: VERSION };
  return findShard(request, { k, of }, parts);
}
