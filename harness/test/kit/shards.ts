/** What a campaign on many machines has found, for tests outside of the harness. */

export { readShards } from '../../src/cli/read-shards.ts';
export { grouped } from '../../src/compare/format-counts.ts';
export { gatherShards, type ShardSet } from '../../src/shards/gather-shards.ts';
export type { CompareShard } from '../../src/shards/report.ts';
