import { join } from 'node:path';
import type { FaultId } from '@holdfast/core';
import {
  type Arguments,
  type Command,
  holdfastVersion,
  type Io,
  UsageError,
} from 'holdfast/internal';
import { find } from '../find/find.ts';
import type { LockRunner } from '../find/lock-runner.ts';
import { openRunners } from '../find/open-runners.ts';
import type { SearchRequest } from '../find/search-request.ts';
import { sizeOf } from '../search/index.ts';
import { formatFindShard } from '../shards/format.ts';
import { findShard } from '../shards/merge-find.ts';
import { fileOf, type Shard, shareOf } from '../shards/shard.ts';
import { textOf } from '../shards/shard-text.ts';
import { FAULT_IDS, needsServers } from '../simulator/index.ts';
import { exhaustiveCommand } from './exhaustive-command.ts';
import { FIND_HELP } from './help.ts';
import { JOBS_MAX, shardFrom, wholeNumber } from './number-options.ts';
import { fileFor, writeText } from './output-files.ts';
import { SearchProgress } from './progress.ts';
import { searchRequestFrom } from './search-request-arguments.ts';
import { NOT_FOUND, nameOf, storyFile, writeFinding } from './write-finding.ts';

const JOBS = { option: 'jobs', fallback: 1, min: 1, max: JOBS_MAX } as const;

export const findCommand: Command = {
  name: 'find',
  operands: 'LOCK',
  summary: 'search for a schedule of faults that breaks a lock',
  options: {
    fault: 'value',
    fenced: 'flag',
    property: 'value',
    nodes: 'value',
    budget: 'value',
    seed: 'value',
    jobs: 'value',
    shard: 'value',
    exhaustive: 'flag',
    clients: 'value',
    json: 'flag',
    out: 'value',
  },
  help: FIND_HELP,
  run: runFind,
};

async function runFind(args: Arguments, io: Io): Promise<number> {
  const { flags, values, operands } = args;
  if (flags.has('exhaustive') && values.has('shard'))
    throw new UsageError(
      '--shard divides schedules, and --exhaustive plays none',
      'Leave out one.',
    );
  if (flags.has('exhaustive')) return await exhaustiveCommand(args, io);
  if (values.has('clients'))
    throw new UsageError('--clients is for --exhaustive', 'Schedules have as many as they need.');
  const quest = searchRequestFrom(operands, values, flags.has('fenced'));
  const shard = shardFrom(values);
  const jobs = wholeNumber(values, JOBS);
  const isJson = flags.has('json');
  if (shard !== undefined) {
    const usual = join('out', 'find', `${nameOf(quest)}-${fileOf(shard)}`);
    const path = fileFor(values.get('out'), usual);
    return await runShard(quest, shard, { jobs, path, isJson }, io);
  }
  const path = storyFile(quest, values.get('out'));
  const progress = new SearchProgress(io.stderr, quest.budget);
  const finding = await withRunners(quest, jobs, progress, (trials) =>
    find(quest, trials, progress),
  );
  writeFinding({ finding, quest }, { path, isJson }, io);
  return finding.kind === 'none' ? NOT_FOUND : 0;
}

/** One machine's part of a search; what it found is told when all are merged. */
async function runShard(
  quest: SearchRequest,
  shard: Shard,
  { jobs, path, isJson }: { jobs: number; path: string; isJson: boolean },
  io: Io,
): Promise<number> {
  const progress = new SearchProgress(io.stderr, sizeOf(quest.budget, shareOf(shard)));
  const holdfast = holdfastVersion();
  const report = await withRunners(quest, jobs, progress, (trials) =>
    findShard(quest, shard, { runners: trials, listener: progress, holdfast }),
  );
  writeText(path, textOf(report));
  io.stdout.write(isJson ? textOf(report) : `${formatFindShard(report, path).join('\n')}\n`);
  return report.hits.length === 0 && report.still === null ? NOT_FOUND : 0;
}

async function withRunners<T>(
  quest: SearchRequest,
  jobs: number,
  progress: SearchProgress,
  play: (trials: readonly LockRunner[]) => Promise<T>,
): Promise<T> {
  try {
    const trials = await openRunners(quest.lock, quest.folder, jobs);
    try {
      assertServers(quest, trials);
      assertTokens(quest, trials);
      assertQueue(quest, trials);
      return await play(trials);
    } finally {
      await Promise.all(trials.map((trial) => trial.close()));
    }
  } finally {
    progress.end();
  }
}

/** What strikes servers, or the way to them, has nothing to strike where there are none. */
function assertServers({ faults, lock }: SearchRequest, [trial]: readonly LockRunner[]): void {
  const idle = trial?.traits.nodes === 0 ? faults.filter(needsServers) : [];
  if (idle.length > 0)
    throw new UsageError(
      `${lock} has no servers, so ${idle.join(' and ')} cannot strike`,
      `Name faults of its clients: ${FAULT_IDS.filter(isOfClients).join(', ')}.`,
    );
}

function isOfClients(fault: FaultId): boolean {
  return fault !== 'none' && !needsServers(fault);
}

/** A fence that gets no tokens refuses everybody, or nobody: either way it would prove nothing. */
function assertTokens({ fenced, lock }: SearchRequest, [trial]: readonly LockRunner[]): void {
  if (fenced && trial?.traits.tokens === false)
    throw new UsageError(
      `${lock} hands out no fencing tokens, so nothing can compare them`,
      'Leave out --fenced.',
    );
}

/** Only where somebody is known to have come earlier can anybody be served out of turn. */
function assertQueue({ property, lock }: SearchRequest, [trial]: readonly LockRunner[]): void {
  if (property === 'fifo' && trial?.traits.isQueue === false)
    throw new UsageError(
      `${lock} keeps no queue that could be looked into, so nobody can be out of turn`,
      'fifo is a property of zk.',
    );
}
