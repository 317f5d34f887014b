import { nearest } from '@holdfast/core';
import { sourceFromEnv, UsageError } from 'holdfast/internal';
import { EmbeddedStage } from '../compare/embedded-stage.ts';
import { ExhibitStage } from '../compare/exhibit-stage.ts';
import type { Stage } from '../compare/stage.ts';
import { ExtraColumn } from '../find/extra-column.ts';
import {
  ownServer,
  type Server,
  startLocalRedis,
  startLocalZooKeeper,
} from '../lab/short/server.ts';
import { ServersStage } from '../lab/short/servers-stage.ts';
import { LOCKS, lockNamed } from '../locks/index.ts';
import { findRedisServer, findZooKeeper, ZOOKEEPER_HINT } from '../plant/index.ts';
import type { Chosen } from './chosen.ts';
import { installCommand } from './install-command.ts';
import type { Settings } from './settings.ts';
import { playedOf } from './short-profile.ts';

/** A stage that is not set up yet. */
export interface OpenStage {
  readonly name: string;
  readonly open: () => Promise<Stage>;
}

const WORDS = ['embedded', 'local', 'auto', 'own'];

/**
 * The stages that `--servers` asks for, in order.
 * @throws UsageError for a word that means nothing, or a server that is not installed
 */
export function stagesFor(
  servers: string,
  settings: Settings,
  env: NodeJS.ProcessEnv,
  chosen: Chosen = {},
): readonly OpenStage[] {
  const embedded: OpenStage = {
    name: 'embedded',
    open: () =>
      EmbeddedStage.open({ ...settings, ...chosen }, (lock) =>
        ExtraColumn.open(lock, process.cwd()),
      ),
  };
  const exhibits: readonly OpenStage[] =
    chosen.exhibits === true
      ? [
          {
            name: 'exhibits',
            open: () => Promise.resolve(new ExhibitStage({ ...settings, ...chosen })),
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
      return [embedded, ...exhibits, ...(isInstalled ? localBeside(env, settings, chosen) : [])];
    default: {
      const source = ownSourceFrom(servers, env) ?? '';
      const own = { starts: [() => ownServer(source)], notes: [] };
      return [onServers('own', own, settings, chosen)];
    }
  }
}

interface Servers {
  readonly starts: readonly (() => Promise<Server>)[];
  /** What is not compared, and why. */
  readonly notes: readonly string[];
}

/** A redis-server, and where it is installed a ZooKeeper ensemble. */
function localServers(env: NodeJS.ProcessEnv): Servers {
  if (findZooKeeper(env) !== undefined)
    return { starts: [startLocalRedis, startLocalZooKeeper], notes: [] };
  const missing = LOCKS.filter(({ needs }) => needs === 'zookeeper').map(
    ({ name }) => `${name} is not compared, for ZooKeeper is not installed: ${ZOOKEEPER_HINT}.`,
  );
  return { starts: [startLocalRedis], notes: missing };
}

/** Beside the simulator, of what was asked for, what real servers can play; nothing where that is nothing. */
function localBeside(
  env: NodeJS.ProcessEnv,
  settings: Settings,
  chosen: Chosen,
): readonly OpenStage[] {
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
  { starts, notes }: Servers,
  settings: Settings,
  { faults, backends }: Chosen,
): OpenStage {
  const { processes, waiters, rounds, trials, ttlMs } = settings;
  const effort = { waiters, rounds, roundsUnderFault: 3, trials, thinkMs: 1, ttlMs };
  return {
    name,
    open: async () => {
      const servers = await startAll(starts);
      try {
        return await ServersStage.open(servers, { processes, effort, notes, faults, backends });
      } catch (error) {
        await closeAll(servers);
        throw error;
      }
    },
  };
}

/** All of them, or none. */
async function startAll(starts: Servers['starts']): Promise<readonly Server[]> {
  const settled = await Promise.allSettled(starts.map((start) => start()));
  const failed = settled.find((each) => each.status === 'rejected');
  const servers = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  if (failed === undefined) return servers;
  await closeAll(servers);
  throw failed.reason;
}

async function closeAll(servers: readonly Server[]): Promise<void> {
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
