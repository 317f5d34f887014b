import { join } from 'node:path';
import type { FaultId } from '@holdfast/core/backend';
import {
  type Arguments,
  type CommandBody,
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
import { FAULT_IDS, NONE, needsServers } from '../simulator/index.ts';
import { exhaustiveCommand } from './exhaustive-command.ts';
import { FIND_HELP } from './help.ts';
import { JOBS_MAX, shardFrom, wholeNumber } from './number-options.ts';
import { fileFor, writeText } from './output-files.ts';
import { SearchProgress } from './progress.ts';
import { searchRequestFrom } from './search-request-arguments.ts';
import { NOT_FOUND, nameOf, storyFile, writeFinding } from './write-finding.ts';

const JOBS = { option: 'jobs', fallback: 1, min: 1, max: JOBS_MAX } as const;

export const findCommand: CommandBody = {
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
    throw new UsageError('--shard divides schedules, and --exhaustive has none', 'Leave out one.');
  if (flags.has('exhaustive')) return await exhaustiveCommand(args, io);
  if (values.has('clients'))
    throw new UsageError('--clients is for --exhaustive', 'Schedules have as many as they need.');
  const request = searchRequestFrom(operands, values, flags.has('fenced'));
  const shard = shardFrom(values);
  const jobs = wholeNumber(values, JOBS);
  const isJson = flags.has('json');
  if (shard !== undefined) {
    const defaultPath = join('out', 'find', `${nameOf(request)}-${fileOf(shard)}`);
    const path = fileFor(values.get('out'), defaultPath);
    return await runShard(request, shard, { jobs, path, isJson }, io);
  }
  const path = storyFile(request, values.get('out'));
  const progress = new SearchProgress(io.stderr, request.budget);
  const finding = await withRunners(request, jobs, progress, (runners) =>
    find(request, runners, progress),
  );
  writeFinding({ finding, request }, { path, isJson }, io);
  return finding.kind === 'none' ? NOT_FOUND : 0;
}

/** Runs one machine's part of a search. Its findings are reported when all parts are merged. */
async function runShard(
  request: SearchRequest,
  shard: Shard,
  { jobs, path, isJson }: { jobs: number; path: string; isJson: boolean },
  io: Io,
): Promise<number> {
  const progress = new SearchProgress(io.stderr, sizeOf(request.budget, shareOf(shard)));
  const holdfast = holdfastVersion();
  const report = await withRunners(request, jobs, progress, (runners) =>
    findShard(request, shard, { runners, listener: progress, holdfast }),
  );
  writeText(path, textOf(report));
  io.stdout.write(isJson ? textOf(report) : `${formatFindShard(report, path).join('\n')}\n`);
  return report.hits.length === 0 && report.still === null ? NOT_FOUND : 0;
}

async function withRunners<T>(
  request: SearchRequest,
  jobs: number,
  progress: SearchProgress,
  play: (runners: readonly LockRunner[]) => Promise<T>,
): Promise<T> {
  try {
    const runners = await openRunners(request.lock, request.folder, jobs);
    try {
      assertServers(request, runners);
      assertTokens(request, runners);
      assertQueue(request, runners);
      return await play(runners);
    } finally {
      await Promise.all(runners.map((runner) => runner.close()));
    }
  } finally {
    progress.end();
  }
}

/** Rejects faults of servers and links for a lock that has no servers. */
function assertServers({ faults, lock }: SearchRequest, [runner]: readonly LockRunner[]): void {
  const idle = runner?.traits.nodes === 0 ? faults.filter(needsServers) : [];
  if (idle.length > 0)
    throw new UsageError(
      `${lock} has no servers, so ${idle.join(' and ')} cannot hit it`,
      `Use faults of clients: ${FAULT_IDS.filter(isOfClients).join(', ')}.`,
    );
}

function isOfClients(fault: FaultId): boolean {
  return fault !== NONE && !needsServers(fault);
}

/** Rejects `--fenced` for a lock without tokens: the search would prove nothing. */
function assertTokens({ fenced, lock }: SearchRequest, [runner]: readonly LockRunner[]): void {
  if (fenced && runner?.traits.tokens === false)
    throw new UsageError(`${lock} has no fencing tokens to compare`, 'Leave out --fenced.');
}

/** Rejects `fifo` for a lock without a queue: there is no order that it could break. */
function assertQueue({ property, lock }: SearchRequest, [runner]: readonly LockRunner[]): void {
  if (property === 'fifo' && runner?.traits.isQueue === false)
    throw new UsageError(
      `${lock} has no queue, so no client can be served out of order`,
      'fifo is a property of zk and etcd.',
    );
}
