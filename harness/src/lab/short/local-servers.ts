import { resolveSource } from 'holdfast/internal';
import { LOCKS, lockOf, type Needs } from '../../locks/index.ts';
import {
  ETCD_HINT,
  EtcdEnsemble,
  etcdVersion,
  findEtcd,
  findPostgres,
  findZooKeeper,
  POSTGRES_HINT,
  PostgresServer,
  RedisServer,
  redisServerVersion,
  ZOOKEEPER_HINT,
  ZooKeeperEnsemble,
} from '../../real/index.ts';
import type { ComparedServer } from './compared-server.ts';

/** Servers of one kind that this machine can start. */
export interface LocalServers {
  /** The reason why it cannot, with advice; undefined if it can. */
  readonly missing: (env: NodeJS.ProcessEnv) => string | undefined;
  /** Starts them empty on loopback, with the tables that this lock needs, if any; `close` ends them. */
  readonly start: (lock?: string) => Promise<ComparedServer>;
}

/** Starts an empty redis-server on loopback, which `close` ends. */
export async function startLocalRedis(): Promise<ComparedServer> {
  return await local(await RedisServer.start(), `redis-server ${redisServerVersion() ?? ''}`);
}

/** All kinds but Redis, which every comparison and every sale needs. */
export const LOCAL_SERVERS: Readonly<Record<Exclude<Needs, 'nothing' | 'redis'>, LocalServers>> = {
  zookeeper: {
    missing: (env) =>
      findZooKeeper(env) ? undefined : `ZooKeeper is not installed: ${ZOOKEEPER_HINT}`,
    async start() {
      const { version = '' } = findZooKeeper() ?? {};
      return await local(await ZooKeeperEnsemble.start(), `three ZooKeeper servers ${version}`);
    },
  },
  etcd: {
    missing: (env) => (findEtcd(env) ? undefined : `etcd is not installed: ${ETCD_HINT}`),
    async start() {
      const version = etcdVersion(findEtcd() ?? '');
      return await local(await EtcdEnsemble.start(), `three etcd servers ${version}`);
    },
  },
  postgres: {
    missing: (env) =>
      findPostgres(env) ? undefined : `PostgreSQL is not installed: ${POSTGRES_HINT}`,
    async start(lock = comparedOn('postgres')) {
      const { version = '' } = findPostgres() ?? {};
      const { load, wire } = lockOf(lock) ?? {};
      await load?.();
      return await local(
        await PostgresServer.start({ schema: wire?.schema?.() }),
        `PostgreSQL ${version}`,
      );
    },
  },
};

/** The lock that is compared on servers of a kind: the first that needs them. */
export function comparedOn(kind: string): string {
  return LOCKS.find(({ needs }) => needs === kind)?.name ?? '';
}

/** The servers that a lock needs beside Redis; undefined if it needs none. */
export function localServersOf(lock: string): LocalServers | undefined {
  const { needs = 'nothing' } = lockOf(lock) ?? {};
  return needs === 'nothing' || needs === 'redis' ? undefined : LOCAL_SERVERS[needs];
}

interface Started {
  readonly url: string;
  close(): Promise<void>;
}

async function local(started: Started, called: string): Promise<ComparedServer> {
  return {
    kind: 'local',
    source: started.url,
    resolved: await resolveSource(started.url),
    description: `${called} on loopback`,
    close: () => started.close(),
  };
}
