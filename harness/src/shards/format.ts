import type { Tally } from '../search/index.ts';
import type { CompareShard, FindShard } from './report.ts';

/** The maximum number of shards named in a line. */
const NAMED_MAX = 12;

/** The result of one shard of a search, as text. */
export function formatFindShard(
  { shard: { k, of }, campaign, tally, hits, still }: FindShard,
  path: string,
): readonly string[] {
  const { lock, faults, seed } = campaign;
  return [
    `SHARD ${k} of ${of}: ${still?.message ?? firstOf(hits) ?? `none in ${tally.schedules}`}`,
    `${lock}, fault ${faults.join(' and ')}, seed ${seed}: ${tally.schedules} of ${campaign.budget} schedules run, ${tally.effective} with effect.`,
    ...next(path, of),
  ];
}

function firstOf(hits: FindShard['hits']): string | undefined {
  const texts = hits.map(({ n, violation }) => `${violation.property} violated in schedule ${n}`);
  return texts.length === 0 ? undefined : texts.join(', ');
}

/** The result of one shard of the matrix, as text. */
export function formatCompareShard(
  { shard: { k, of }, campaign, trials }: CompareShard,
  path: string,
): readonly string[] {
  const schedules = trials.reduce((sum, { tally }) => sum + tally.schedules, 0);
  return [
    `SHARD ${k} of ${of}: ${schedules} schedules in ${trials.length} cells, each its share of ${campaign.budget}`,
    ...next(path, of),
  ];
}

function next(path: string, of: number): readonly string[] {
  const others = of === 1 ? '' : `   # when all ${of} are there`;
  return [`Report  ${path}`, `Next    npx holdfast merge ${folderOf(path)}${others}`];
}

function folderOf(path: string): string {
  return /^(.*)[/\\][^/\\]*$/.exec(path)?.[1] ?? '.';
}

/** A line that says if all shards were merged. */
export function formatWhole(of: number, missing: readonly number[]): string {
  if (missing.length === 0) return of === 1 ? 'Merged  1 shard' : `Merged  all ${of} shards`;
  const named = missing.slice(0, NAMED_MAX).join(', ');
  const more = missing.length - NAMED_MAX;
  return `INCOMPLETE: ${of - missing.length} of ${of} shards, without ${named}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The extent of a merged search: each shard runs until no better hit is possible in it. */
export function formatTally({ schedules }: Tally, budget: number): string {
  return `        ${schedules} of ${budget} schedules run`;
}
