import type { Locks } from '@holdfast/core';
import type { Opening } from '../processes/clients/messages.ts';
import { freePorts, onFreePorts } from '../processes/free-ports.ts';
import { ServerProcess, type ServerProcessParts } from '../processes/server-process.ts';
import { Supervisor } from '../processes/supervisor.ts';
import { EtcdEnsemble, type EtcdEnsembleOptions } from '../servers/etcd/real/etcd-ensemble.ts';
import { etcdVersion, findEtcd } from '../servers/etcd/real/etcd-install.ts';
import { findPostgres } from '../servers/postgres/real/postgres-install.ts';
import {
  PostgresServer,
  type PostgresServerOptions,
} from '../servers/postgres/real/postgres-server.ts';
import { findRedisServer, redisServerVersion } from '../servers/redis/real/redis-install.ts';
import { RedisServer, type RedisServerOptions } from '../servers/redis/real/redis-server.ts';
import {
  ZooKeeperEnsemble,
  type ZooKeeperEnsembleOptions,
} from '../servers/zookeeper/real/zookeeper-ensemble.ts';
import { findZooKeeper, javaVersion } from '../servers/zookeeper/real/zookeeper-install.ts';

/** Opens locks for the lab, which knows no lock itself. */
export interface Opener {
  /** The program of a client process, which opens its locks itself. */
  readonly client: URL;
  /** Opens locks in this process; undefined for the control. */
  open(opening: Opening, label: string): Promise<Locks | undefined>;
}

/** Creates the lab's processes; none of them outlives this process. */
export interface ServerFactory extends Opener {
  /** Creates a folder that is removed when this process has ended. */
  folder(prefix: string): string;
  remove(folder: string): void;
  process(parts: ServerProcessParts): ServerProcess;
  /** Starts something on free ports; tries others if another process has taken one meanwhile. */
  onFreePorts<T>(count: number, start: (ports: readonly number[]) => Promise<T>): Promise<T>;
  /** Undefined if it is not installed. */
  readonly redis:
    | {
        readonly binary: string;
        readonly version: string;
        start(options: RedisServerOptions): Promise<RedisServer>;
      }
    | undefined;
  readonly zookeeper:
    | {
        readonly version: string;
        /** Undefined if Java does not report it. */
        javaVersion(): string | undefined;
        start(options: ZooKeeperEnsembleOptions): Promise<ZooKeeperEnsemble>;
      }
    | undefined;
  readonly etcd:
    | {
        readonly version: string;
        start(options: EtcdEnsembleOptions): Promise<EtcdEnsemble>;
      }
    | undefined;
  readonly postgres:
    | {
        readonly version: string;
        start(options: PostgresServerOptions): Promise<PostgresServer>;
      }
    | undefined;
}

/** The servers installed on this machine, under the supervisor of this process. */
export function createServerFactory(env: NodeJS.ProcessEnv, opener: Opener): ServerFactory {
  const supervisor = Supervisor.get();
  const binary = findRedisServer(env);
  const install = findZooKeeper(env);
  const etcd = findEtcd(env);
  const postgres = findPostgres(env);
  return {
    ...opener,
    folder: (prefix) => supervisor.folder(prefix),
    remove: (folder) => supervisor.remove(folder),
    process: (parts) => new ServerProcess(parts),
    onFreePorts: (count, start) => onFreePorts(count, freePorts, start),
    redis:
      binary === undefined
        ? undefined
        : {
            binary,
            version: redisServerVersion() ?? '',
            start: (options) => RedisServer.start(options),
          },
    zookeeper:
      install === undefined
        ? undefined
        : {
            version: install.version ?? '',
            javaVersion: () => javaVersion(install.java),
            start: (options) => ZooKeeperEnsemble.start(options),
          },
    etcd:
      etcd === undefined
        ? undefined
        : { version: etcdVersion(etcd), start: (options) => EtcdEnsemble.start(options) },
    postgres: postgres && {
      version: postgres.version,
      start: (options) => PostgresServer.start(options),
    },
  };
}
