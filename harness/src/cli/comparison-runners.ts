import { nearest } from '@holdfast/core/backend';
import { sourceFromEnv, UsageError } from 'holdfast/internal';
import { ExhibitRunner } from '../compare/exhibit-runner.ts';
import type { ComparisonRunner } from '../compare/run-comparison.ts';
import { SimulatorRunner } from '../compare/simulator-runner.ts';
import { ExtraColumn } from '../find/extra-column.ts';
import type { OwnSource } from '../lab/own/own-source.ts';
import { type ComparedServer, ownServer } from '../lab/short/compared-server.ts';
import {
  comparedOn,
  LOCAL_SERVERS,
  localServersOf,
  startLocalRedis,
} from '../lab/short/local-servers.ts';
import { RealServersRunner } from '../lab/short/real-servers-runner.ts';
import { lockNamed } from '../locks/index.ts';
import { findRedisServer } from '../real/index.ts';
import type { MatrixSelection } from './matrix-selection.ts';
import { installCommand } from './next-steps.ts';
import type { ComparisonSettings } from './settings.ts';
import { playableOf } from './short-profile.ts';

/** A runner that is not opened yet. */
export interface RunnerOpener {
  readonly name: string;
  readonly open: () => Promise<ComparisonRunner>;
}

const WORDS = ['embedded', 'local', 'auto', 'own'];

/**
 * The runners for `--servers`, in order.
 * @throws UsageError for a server that is not installed
 */
export function runnersFor(
  servers: string | OwnSource,
  settings: ComparisonSettings,
  env: NodeJS.ProcessEnv,
  selection: MatrixSelection = {},
): readonly RunnerOpener[] {
  if (typeof servers !== 'string') {
    const own = { starts: [() => ownServer(servers)], notes: [] };
    return [onServers('own', own, settings, selection)];
  }
  const embedded: RunnerOpener = {
    name: 'embedded',
    open: () =>
      SimulatorRunner.open({ ...settings, ...selection }, (lock) =>
        ExtraColumn.open(lock, process.cwd()),
      ),
  };
  const exhibits: readonly RunnerOpener[] =
    selection.exhibits === true
      ? [
          {
            name: 'exhibits',
            open: () => Promise.resolve(new ExhibitRunner({ ...settings, ...selection })),
          },
        ]
      : [];
  const local = onServers('local', localServers(env, selection.backends), settings, selection);
  const isInstalled = findRedisServer(env) !== undefined;
  switch (servers) {
    case 'local':
      if (isInstalled) return [local];
      throw new UsageError('redis-server is not installed', `Install it: ${installCommand()}`);
    case 'auto':
      return [embedded, ...exhibits, ...(isInstalled ? localRunner(env, settings, selection) : [])];
    default:
      return [embedded, ...exhibits];
  }
}

interface ServerStarts {
  readonly starts: readonly (() => Promise<ComparedServer>)[];
  /** Notes on what is not compared, and why. */
  readonly notes: readonly string[];
}

/** A redis-server, and the servers of every other chosen lock that are installed. */
function localServers(env: NodeJS.ProcessEnv, backends?: readonly string[]): ServerStarts {
  const others = Object.entries(LOCAL_SERVERS)
    .map(([kind, servers]) => ({ lock: comparedOn(kind), ...servers }))
    .filter(({ lock }) => backends?.includes(lock) ?? true);
  const installed = others.filter((kind) => kind.missing(env) === undefined);
  return {
    starts: [
      startLocalRedis,
      ...installed.map(
        ({ start }) =>
          () =>
            start(),
      ),
    ],
    notes: others.flatMap(({ lock, missing }) => {
      const why = missing(env);
      return why === undefined ? [] : [`${lock} is not compared, because ${why}.`];
    }),
  };
}

/**
 * The runner for the requested cells that real servers can run, beside the simulator; none if there are no such cells.
 */
function localRunner(
  env: NodeJS.ProcessEnv,
  settings: ComparisonSettings,
  selection: MatrixSelection,
): readonly RunnerOpener[] {
  const isAvailable = (backend: string): boolean => {
    const { needs, on = [] } = lockNamed(backend) ?? {};
    const other = localServersOf(backend);
    if (other !== undefined)
      return (
        needs !== undefined && comparedOn(needs) === backend && other.missing(env) === undefined
      );
    // Only one Redis is started, for locks that are compared over each client library.
    return needs === 'nothing' || on.some(({ client }) => client !== undefined);
  };
  const faults = playableOf(selection);
  const backends = selection.backends?.filter(isAvailable);
  if (faults?.length === 0 || backends?.length === 0) return [];
  return [onServers('local', localServers(env, backends), settings, { faults, backends })];
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

/** Starts all servers; if one fails, closes the others. */
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
 * The source of the user's servers; undefined if `--servers` names none.
 * @throws UsageError for an unknown word, or a `--store` without servers of the user's
 */
export function ownSourceFrom(
  servers: string,
  store: string | undefined,
  env: NodeJS.ProcessEnv,
): OwnSource | undefined {
  if (servers === 'own') return { source: sourceFromEnv(env), store };
  if (!WORDS.includes(servers)) return { source: sourceOf(servers), store };
  if (store === undefined) return undefined;
  throw new UsageError(
    `--store chooses a store of a configuration file, not of --servers ${servers}`,
    'Use --servers FILE.',
  );
}

/** Accepts a URL or a path; anything else is a misspelt word. */
function sourceOf(servers: string): string {
  if (/[/\\:.]/.test(servers)) return servers;
  const meant = nearest(servers, WORDS);
  const hint =
    meant === undefined ? `Use ${WORDS.join(', ')}, a URL or a file.` : `Did you mean ${meant}?`;
  throw new UsageError(`unknown --servers "${servers}"`, hint);
}
