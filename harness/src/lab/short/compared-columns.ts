import type { RedisLibrary } from '@holdfast/redis';
import { isRedisSimple, isRedlock, isZk, type RedisSimpleConfig } from 'holdfast/internal';
import type { Column } from '../../draw/index.ts';
import { CONTROL, columnNamed, LOCKS, lockNamed } from '../../locks/index.ts';
import type { NamedOpening } from '../../real/index.ts';
import { isOneRedis } from '../own/own-lab.ts';
import type { OwnSource } from '../own/own-source.ts';
import type { ComparedServer } from './compared-server.ts';

/** A column, and how its locks are opened; `opening` is null for the control. */
export interface ComparedColumn {
  readonly column: Column;
  readonly opening: NamedOpening | null;
  /** `one` only for memory, whose locks live in one process. */
  readonly processes: 'one' | 'all';
  /** Of its leases. */
  readonly ttlMs: number;
  /** For how long its server may keep a lease beyond that. */
  readonly slackMs?: number;
  /** The server that has its locks; absent if it needs none. */
  readonly server?: ComparedServer;
  /** The client library, if the column is for one. */
  readonly library?: RedisLibrary;
}

export interface ComparedColumnOptions {
  /** Our own namespace, so that no other keys are touched. */
  readonly namespace: string;
  readonly ttlMs: number;
}

/** Those that are compared without being named. */
const LIBRARIES: readonly RedisLibrary[] = ['ioredis', 'redis'];

/** The package of each library. */
const CLIENT_OF: Readonly<Record<RedisLibrary, string>> = {
  ioredis: 'ioredis',
  iovalkey: 'iovalkey',
  redis: 'node-redis',
  resp: 'resp',
};

/** etcd counts whole seconds, and makes a lease last at least one and a half election timeouts. */
const ETCD_TTL_MS_MIN = 2_000;
/** It looks for expired leases twice a second, and revokes them through its log. */
const ETCD_SLACK_MS = 1_500;

const UNLOCKED: Omit<ComparedColumn, 'ttlMs'> = {
  column: columnNamed(CONTROL.name),
  opening: null,
  processes: 'all',
};

/** The locks that need no server: their scheme alone names them. */
const SERVERLESS: readonly string[] = LOCKS.flatMap(({ name, needs }) =>
  needs === 'nothing' ? name : [],
);

/**
 * Returns the columns to compare: the control, memory, and the backend of each server, over each installed client
 * library.
 */
export async function comparedColumns(
  servers: readonly ComparedServer[],
  options: ComparedColumnOptions,
): Promise<readonly ComparedColumn[]> {
  const serverless = SERVERLESS.map(
    (name): ComparedColumn => ({
      column: columnNamed(name),
      opening: { source: `${name}:`, override: { ttlMs: options.ttlMs } },
      processes: 'one',
      ttlMs: options.ttlMs,
    }),
  );
  const columns = await Promise.all(servers.map((server) => comparedColumnsOn(server, options)));
  return [{ ...UNLOCKED, ttlMs: options.ttlMs }, ...serverless, ...columns.flat()];
}

async function comparedColumnsOn(
  server: ComparedServer,
  options: ComparedColumnOptions,
): Promise<readonly ComparedColumn[]> {
  const { config } = server.resolved;
  const { ttlMs } = options;
  const named = { source: server.source, store: server.store };
  if (SERVERLESS.includes(config.backend)) return [];
  if (isRedisSimple(config)) {
    const columns = await redisColumns(named, config, options);
    return columns.map((column) => ({ ...column, ttlMs, server }));
  }
  if (isZk(config)) {
    // Its ttl is the session timeout, and overrides one in the URL.
    const opening = { ...named, override: { ...options } };
    return [{ column: columnNamed(config.backend), opening, processes: 'all', ttlMs, server }];
  }
  const { backend } = config;
  const column =
    lockNamed(backend) === undefined
      ? { id: backend, backend, meaning: 'the backend of your configuration' }
      : columnNamed(backend);
  const leaseMs = backend === 'etcd' ? Math.max(ETCD_TTL_MS_MIN, wholeSeconds(ttlMs)) : ttlMs;
  const slackMs = backend === 'etcd' ? ETCD_SLACK_MS : 0;
  // A backend from outside may ignore a namespace, so there it is part of each key.
  const override = isOneRedis(config) || isRedlock(config) ? options : { ttlMs: leaseMs };
  const opening = { ...named, override: { ...override } };
  return [{ column, opening, processes: 'all', ttlMs: leaseMs, slackMs, server }];
}

function wholeSeconds(ms: number): number {
  return Math.ceil(ms / 1_000) * 1_000;
}

async function redisColumns(
  named: OwnSource,
  { backend, library: chosen, client }: RedisSimpleConfig,
  options: ComparedColumnOptions,
): Promise<readonly Omit<ComparedColumn, 'ttlMs'>[]> {
  if (client !== undefined) {
    const opening = { ...named, override: { ...options } };
    return [{ column: unnamedColumn(backend, 'your own client'), opening, processes: 'all' }];
  }
  const libraries = chosen === undefined ? await installed() : [chosen];
  return libraries.map((library) => ({
    column: columnOver(library, backend),
    opening: { ...named, override: { ...options, library } },
    processes: 'all',
    library,
  }));
}

function columnOver(library: RedisLibrary, backend: string): Column {
  const own = lockNamed(backend)?.on.find(({ client }) => client === CLIENT_OF[library]);
  return own === undefined ? unnamedColumn(backend, `client ${library}`) : columnNamed(own.id);
}

/** The column of a client that no record names. */
function unnamedColumn(backend: string, client: string): Column {
  const meaning = `one Redis, a key with a ttl and a fencing token, ${client}`;
  return { id: backend, backend, meaning };
}

/** Returns the installed client libraries; without any, our own connection. */
async function installed(): Promise<readonly RedisLibrary[]> {
  const found = await Promise.all(LIBRARIES.map(isInstalled));
  const libraries = LIBRARIES.filter((_, index) => found[index]);
  return libraries.length === 0 ? ['resp'] : libraries;
}

async function isInstalled(library: RedisLibrary): Promise<boolean> {
  try {
    await (library === 'ioredis' ? import('ioredis') : import('redis'));
    return true;
  } catch {
    return false;
  }
}
