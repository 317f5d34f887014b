/** Results of a campaign on many machines, for tests outside of the harness. */

export { readShards } from '../../src/cli/merge-command.ts';
export { grouped } from '../../src/compare/format-cost.ts';
export { gatherShards, type ShardSet } from '../../src/shards/gather-shards.ts';
export type { CompareShard } from '../../src/shards/report.ts';
