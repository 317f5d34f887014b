import { isDeepStrictEqual } from 'node:util';
import { rowName } from '../matrix/index.ts';
import { sizeOf } from '../search/index.ts';
import type { CompareShard, FindShard, ShardReport } from './report.ts';
import { ShardError, shareOf } from './shard.ts';

/** A report, and the file that it comes from. */
export interface ShardFile<R extends ShardReport = ShardReport> {
  readonly where: string;
  readonly report: R;
}

/** Shards that belong to one campaign, in their order. */
export interface ShardSet<R extends ShardReport> {
  readonly kind: R['kind'];
  /** Any of them, for what they have in common. */
  readonly first: R;
  readonly reports: readonly R[];
  /** Into how many shards the campaign was divided. */
  readonly of: number;
  /** Those that nobody handed in. */
  readonly missing: readonly number[];
}

/**
 * Makes sure that reports belong together.
 * @param holdfast the version that merges: it has to be the one that played
 * @throws ShardError naming two files, and in what they differ
 */
export function gatherShards(
  files: readonly ShardFile[],
  holdfast: string,
): ShardSet<FindShard> | ShardSet<CompareShard> {
  const [first, ...others] = files;
  if (first === undefined) throw new ShardError('there is nothing to merge');
  if (first.report.holdfast !== holdfast)
    throw new ShardError(
      `${first.where} was written by holdfast ${first.report.holdfast}, and this is ${holdfast}`,
      { hint: 'Merge with the release that played.' },
    );
  for (const other of others) {
    const why = differenceOf(first.report, other.report);
    if (why !== undefined) throw mismatch(first, other, why);
  }
  const sorted = files.toSorted((a, b) => a.report.shard.k - b.report.shard.k);
  for (const [i, file] of sorted.entries()) checkWhole(file, sorted[i - 1]);
  const { of } = first.report.shard;
  const there = new Set(files.map(({ report }) => report.shard.k));
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((k) => !there.has(k));
  const all = sorted.map(({ report }) => report);
  if (first.report.kind === 'find') {
    const reports = all.filter((report) => report.kind === 'find');
    return { kind: 'find', first: first.report, reports, of, missing };
  }
  const reports = all.filter((report) => report.kind === 'compare');
  return { kind: 'compare', first: first.report, reports, of, missing };
}

/** Each shard once, and none that played less than it should have. */
function checkWhole({ where, report }: ShardFile, before: ShardFile | undefined): void {
  const { k, of } = report.shard;
  if (before?.report.shard.k === k)
    throw new ShardError(`shard ${k} of ${of} is there twice: ${before.where} and ${where}`);
  const size = sizeOf(report.campaign.budget, shareOf(report.shard));
  if (playedIn(report).some((played) => played !== size))
    throw new ShardError(`${where} is not whole: shard ${k} of ${of} has ${size} schedules`);
}

/** How many schedules, of each search that went to its end. */
function playedIn(report: ShardReport): readonly number[] {
  if (report.kind === 'compare') return report.trials.map(({ tally }) => tally.schedules);
  return report.still === null && report.hits.length === 0 ? [report.tally.schedules] : [];
}

function mismatch(a: ShardFile, b: ShardFile, why: string): ShardError {
  return new ShardError(`${a.where} and ${b.where} are not of one campaign: ${why}`);
}

function differenceOf(a: ShardReport, b: ShardReport): string | undefined {
  if (a.kind !== b.kind) return `one is of ${a.kind}, the other of ${b.kind}`;
  if (a.holdfast !== b.holdfast) return `one is of ${a.holdfast}, the other of ${b.holdfast}`;
  if (a.shard.of !== b.shard.of) return `one of ${a.shard.of} shards, the other of ${b.shard.of}`;
  const theirs = new Map<string, unknown>(Object.entries(b.campaign));
  for (const [name, value] of Object.entries(a.campaign)) {
    const other = theirs.get(name);
    if (isDeepStrictEqual(value, other)) continue;
    if (name === 'cells') return cellDifference(a, b);
    // A lock that never yielded may have been ended before it had one.
    if (name === 'fingerprint' && (value === null || other === null)) continue;
    if (name === 'fingerprint') return OTHER_CODE;
    return `${name} is ${JSON.stringify(value)} in one, ${JSON.stringify(other)} in the other`;
  }
  return undefined;
}

const OTHER_CODE =
  'the same schedules came out differently, so the lock or the simulator was not the same';

function cellDifference(a: ShardReport, b: ShardReport): string {
  if (a.kind !== 'compare' || b.kind !== 'compare') return OTHER_CODE;
  const { cells } = b.campaign;
  const differing = a.campaign.cells.find((cell, i) => !isDeepStrictEqual(cell, cells[i]));
  if (differing === undefined) return `one of ${a.campaign.cells.length} cells, the other of more`;
  return `in ${rowName(differing)} on ${differing.column} ${OTHER_CODE}`;
}
