import { isDeepStrictEqual } from 'node:util';
import { rowName } from '../matrix/index.ts';
import { sizeOf } from '../search/index.ts';
import type { CompareShard, FindShard, ShardReport } from './report.ts';
import { ShardError, shareOf } from './shard.ts';

/** A report with its file. */
export interface ShardFile<R extends ShardReport = ShardReport> {
  readonly where: string;
  readonly report: R;
}

/** Shards that belong to one campaign, in their order. */
export interface ShardSet<R extends ShardReport> {
  readonly kind: R['kind'];
  /** One of them, for the fields that all share. */
  readonly first: R;
  readonly reports: readonly R[];
  /** The number of shards of the campaign. */
  readonly of: number;
  /** The numbers of the missing shards. */
  readonly missing: readonly number[];
}

/**
 * Checks that reports belong together.
 * @param holdfast the version that merges: it has to be the one that ran the shards
 * @throws ShardError naming two files and their difference
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
      { hint: 'Merge with the release that ran the shards.' },
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

/** Checks that each shard occurs once, and ran all its schedules. */
function checkWhole({ where, report }: ShardFile, before: ShardFile | undefined): void {
  const { k, of } = report.shard;
  if (before?.report.shard.k === k)
    throw new ShardError(`duplicate shard ${k} of ${of}: ${before.where} and ${where}`);
  const size = sizeOf(report.campaign.budget, shareOf(report.shard));
  if (playedIn(report).some((played) => played !== size))
    throw new ShardError(`${where} is incomplete: shard ${k} of ${of} has ${size} schedules`);
}

/** The number of schedules of each search that ran to its end. */
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
    // A lock that never yields may have been terminated before it had a fingerprint.
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
