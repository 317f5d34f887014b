import { nearest } from '@holdfast/core';
import { sourceFromEnv, UsageError } from 'holdfast/internal';
import { ExhibitRunner } from '../compare/exhibit-runner.ts';
import type { ComparisonRunner } from '../compare/run-comparison.ts';
import { SimulatorRunner } from '../compare/simulator-runner.ts';
import { ExtraColumn } from '../find/extra-column.ts';
import {
  type ComparedServer,
  ownServer,
  startLocalRedis,
  startLocalZooKeeper,
} from '../lab/short/compared-server.ts';
import { RealServersRunner } from '../lab/short/real-servers-runner.ts';
import { LOCKS, lockNamed } from '../locks/index.ts';
import { findRedisServer, findZooKeeper, ZOOKEEPER_HINT } from '../plant/index.ts';
import type { MatrixSelection } from './matrix-selection.ts';
import { installCommand } from './next-steps.ts';
import type { ComparisonSettings } from './settings.ts';
import { playedOf } from './short-profile.ts';

/** A stage that is not set up yet. */
export interface RunnerOpener {
  readonly name: string;
  readonly open: () => Promise<ComparisonRunner>;
}

const WORDS = ['embedded', 'local', 'auto', 'own'];

/**
 * The stages that `--servers` asks for, in order.
 * @throws UsageError for a word that means nothing, or a server that is not installed
 */
export function runnersFor(
  servers: string,
  settings: ComparisonSettings,
  env: NodeJS.ProcessEnv,
  chosen: MatrixSelection = {},
): readonly RunnerOpener[] {
  const embedded: RunnerOpener = {
    name: 'embedded',
    open: () =>
      SimulatorRunner.open({ ...settings, ...chosen }, (lock) =>
        ExtraColumn.open(lock, process.cwd()),
      ),
  };
  const exhibits: readonly RunnerOpener[] =
    chosen.exhibits === true
      ? [
          {
            name: 'exhibits',
            open: () => Promise.resolve(new ExhibitRunner({ ...settings, ...chosen })),
          },
        ]
      : [];
  const local = onServers('local', localServers(env), settings, chosen);
  const isInstalled = findRedisServer(env) !== undefined;
  switch (servers) {
    case 'embedded':
      return [embedded, ...exhibits];
    case 'local':
      if (isInstalled) return [local];
      throw new UsageError('redis-server is not installed', `Install it: ${installCommand()}`);
    case 'auto':
      return [embedded, ...exhibits, ...(isInstalled ? localRunner(env, settings, chosen) : [])];
    default: {
      const source = ownSourceFrom(servers, env) ?? '';
      const own = { starts: [() => ownServer(source)], notes: [] };
      return [onServers('own', own, settings, chosen)];
    }
  }
}

interface ServerStarts {
  readonly starts: readonly (() => Promise<ComparedServer>)[];
  /** What is not compared, and why. */
  readonly notes: readonly string[];
}

/** A redis-server, and where it is installed a ZooKeeper ensemble. */
function localServers(env: NodeJS.ProcessEnv): ServerStarts {
  if (findZooKeeper(env) !== undefined)
    return { starts: [startLocalRedis, startLocalZooKeeper], notes: [] };
  const missing = LOCKS.filter(({ needs }) => needs === 'zookeeper').map(
    ({ name }) => `${name} is not compared, for ZooKeeper is not installed: ${ZOOKEEPER_HINT}.`,
  );
  return { starts: [startLocalRedis], notes: missing };
}

/** Beside the simulator, of what was asked for, what real servers can play; nothing where that is nothing. */
function localRunner(
  env: NodeJS.ProcessEnv,
  settings: ComparisonSettings,
  chosen: MatrixSelection,
): readonly RunnerOpener[] {
  const isThere = (backend: string): boolean => {
    const { needs, on = [] } = lockNamed(backend) ?? {};
    if (needs === 'zookeeper') return findZooKeeper(env) !== undefined;
    // One Redis is started, for what is compared over each client library.
    return needs === 'nothing' || on.some(({ client }) => client !== undefined);
  };
  const faults = playedOf(chosen);
  const backends = chosen.backends?.filter(isThere);
  if (faults?.length === 0 || backends?.length === 0) return [];
  return [onServers('local', localServers(env), settings, { faults, backends })];
}

function onServers(
  name: string,
  { starts, notes }: ServerStarts,
  settings: ComparisonSettings,
  { faults, backends }: MatrixSelection,
): RunnerOpener {
  const { processes, waiters, rounds, trials, ttlMs } = settings;
  const effort = { waiters, rounds, roundsUnderFault: 3, trials, thinkMs: 1, ttlMs };
  return {
    name,
    open: async () => {
      const servers = await startAll(starts);
      try {
        return await RealServersRunner.open(servers, {
          processes,
          effort,
          notes,
          faults,
          backends,
        });
      } catch (error) {
        await closeAll(servers);
        throw error;
      }
    },
  };
}

/** All of them, or none. */
async function startAll(starts: ServerStarts['starts']): Promise<readonly ComparedServer[]> {
  const settled = await Promise.allSettled(starts.map((start) => start()));
  const failed = settled.find((each) => each.status === 'rejected');
  const servers = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (failed === undefined) return servers;
  await closeAll(servers);
  throw failed.reason;
}

async function closeAll(servers: readonly ComparedServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.close()));
}

/**
 * Which servers of the user's are asked for; undefined where none are.
 * @throws UsageError for a word that means nothing
 */
export function ownSourceFrom(servers: string, env: NodeJS.ProcessEnv): string | undefined {
  if (servers === 'own') return sourceFromEnv(env);
  return WORDS.includes(servers) ? undefined : sourceOf(servers);
}

/** A URL or a path; anything else was meant to be one of our words. */
function sourceOf(servers: string): string {
  if (/[/\\:.]/.test(servers)) return servers;
  const meant = nearest(servers, WORDS);
  const hint =
    meant === undefined ? `It is ${WORDS.join(', ')}, a URL or a file.` : `Did you mean ${meant}?`;
  throw new UsageError(`--servers ${servers} is nothing known`, hint);
}
