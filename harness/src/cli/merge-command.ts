import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Arguments,
  type CommandBody,
  holdfastVersion,
  type Io,
  printable,
  UsageError,
} from 'holdfast/internal';
import { formatReport } from '../compare/format-report.ts';
import { comparisonExitCode } from '../compare/judge-compared-cell.ts';
import { paintFor } from '../compare/paint.ts';
import { createWorkers, Pool } from '../compare/worker-pool.ts';
import { readText } from '../foreign/plain-json.ts';
import { formatTally, formatWhole } from '../shards/format.ts';
import { gatherShards, type ShardFile, type ShardSet } from '../shards/gather-shards.ts';
import { mergeCompare } from '../shards/merge-compare.ts';
import { mergeFind } from '../shards/merge-find.ts';
import type { CompareShard, FindShard } from '../shards/report.ts';
import { isShardFile, ShardError } from '../shards/shard.ts';
import { parseShard } from '../shards/shard-text.ts';
import { admitLock } from './admit-lock.ts';
import { COMPARE_OUT } from './compare-shard.ts';
import { MERGE_HELP } from './help.ts';
import { folderFor, writeText } from './output-files.ts';
import { Progress, SearchProgress } from './progress.ts';
import { jobsFrom } from './settings.ts';
import { NOT_FOUND, storyFile, writeFinding } from './write-finding.ts';

const INCOMPLETE = 1;

export const mergeCommand: CommandBody = {
  options: { json: 'flag', out: 'value', jobs: 'value', trust: 'flag' },
  help: MERGE_HELP,
  run: merge,
};

async function merge(args: Arguments, io: Io): Promise<number> {
  if (args.operands.length === 0)
    throw new UsageError(
      'missing argument: the shard reports, or their folder',
      'For example: holdfast merge out/find',
    );
  try {
    const shards = gatherShards(readShards(args.operands), holdfastVersion());
    return shards.kind === 'find'
      ? await mergeOfFind(shards, args, io)
      : await mergeOfCompare(shards, args, io);
  } catch (error) {
    if (error instanceof ShardError) throw new UsageError(printable(error.message), error.hint);
    throw error;
  }
}

async function mergeOfFind(
  shards: ShardSet<FindShard>,
  { flags, values }: Arguments,
  io: Io,
): Promise<number> {
  const { of, missing, first, reports } = shards;
  // Only findings are run again.
  if (reports.some(({ hits, still }) => hits.length > 0 || still !== null)) {
    const reference = { by: 'this shard', isTrusted: flags.has('trust') };
    admitLock(first.campaign.lock, reference, io);
  }
  const witness = new SearchProgress(io.stderr, 0);
  const { request, finding } = await mergeFind(shards, {
    folder: process.cwd(),
    listener: witness,
  });
  witness.end();
  const tallied = finding.kind === 'hang' ? [] : [formatTally(finding.tally, request.budget)];
  const more = {
    lines: ['', formatWhole(of, missing), ...tallied],
    json: { shards: { of, missing } },
  };
  const path = storyFile(request, values.get('out'));
  writeFinding({ finding, request }, { path, isJson: flags.has('json'), more }, io);
  if (missing.length > 0) return INCOMPLETE;
  return finding.kind === 'none' ? NOT_FOUND : 0;
}

async function mergeOfCompare(
  shards: ShardSet<CompareShard>,
  { flags, values }: Arguments,
  io: Io,
): Promise<number> {
  const path = join(folderFor(values.get('out'), COMPARE_OUT), 'report.json');
  const pool = new Pool(createWorkers(jobsFrom(values)));
  const progress = new Progress(io.stderr);
  try {
    const report = await mergeCompare(shards, { pool, step: (text) => progress.step(text) });
    progress.clear();
    const text = `${JSON.stringify(report, null, 2)}\n`;
    writeText(path, text);
    const completeness = formatWhole(shards.of, shards.missing);
    io.stdout.write(
      flags.has('json')
        ? text
        : `${formatReport(report, paintFor(io.stdout, io.env))}\n${completeness}\nReport  ${path}\n`,
    );
    return shards.missing.length > 0 ? INCOMPLETE : comparisonExitCode(report);
  } finally {
    await pool.close();
  }
}

/** The largest report in bytes: ten times a report of the whole matrix. */
const BYTES_MAX = 64_000_000;

/**
 * Reads files, and the files in folders that have names of shard reports.
 * @throws ShardError for a file that does not exist or is no shard report
 */
export function readShards(paths: readonly string[]): readonly ShardFile[] {
  const files = new Map(paths.flatMap(filesAt).map((path) => [resolve(path), path]));
  return [...files.values()].map((where) => ({ where, report: parseShard(textAt(where), where) }));
}

function filesAt(path: string): readonly string[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new ShardError(`no such file: ${path}`);
  if (!stat.isDirectory()) return [path];
  const names = readdirSync(path, { withFileTypes: true }).filter(isReport);
  if (names.length === 0)
    throw new ShardError(`no shard report in ${path}`, {
      hint: 'In a folder their names are shard-3-of-8.json, or end in -shard-3-of-8.json.',
    });
  return names.map(({ name }) => join(path, name)).toSorted();
}

function isReport(entry: Dirent): boolean {
  return entry.isFile() && isShardFile(entry.name);
}

function textAt(path: string): string {
  try {
    return readText(path, BYTES_MAX);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ShardError(`cannot read ${path}: ${why}`, { cause });
  }
}
