import type { RedisLibrary } from '@holdfast/redis';
import { isRedisSimple, isRedlock, isZk, type RedisSimpleConfig } from 'holdfast/internal';
import type { Column } from '../../draw/index.ts';
import { CONTROL, columnNamed, LOCKS, lockNamed } from '../../locks/index.ts';
import type { NamedOpening } from '../../plant/index.ts';
import { isOneRedis } from '../own/own-lab.ts';
import type { ComparedServer } from './compared-server.ts';

/** A column together with how to open it; null: there is no lock. */
export interface ComparedColumn {
  readonly column: Column;
  readonly opening: NamedOpening | null;
  /** Only with memory one process has it for itself. */
  readonly processes: 'one' | 'all';
  /** Where its locks are; absent where there is nothing to reach. */
  readonly server?: ComparedServer;
  /** The client library, where the column stands for one. */
  readonly library?: RedisLibrary;
}

export interface ComparedColumnOptions {
  /** Of our own, so that nothing of anybody else's is touched. */
  readonly namespace: string;
  readonly ttlMs: number;
}

const LIBRARIES: readonly RedisLibrary[] = ['ioredis', 'redis'];

/** What the package of each is called. */
const CLIENT_OF: Readonly<Record<RedisLibrary, string>> = {
  ioredis: 'ioredis',
  redis: 'node-redis',
};

const UNLOCKED: ComparedColumn = {
  column: columnNamed(CONTROL.name),
  opening: null,
  processes: 'all',
};

/** What needs no server is named by its scheme alone. */
const SERVERLESS: readonly string[] = LOCKS.flatMap(({ name, needs }) =>
  needs === 'nothing' ? name : [],
);

/** What is compared: the control, memory, and the backend of each server, over each client that is there. */
export async function comparedColumns(
  servers: readonly ComparedServer[],
  options: ComparedColumnOptions,
): Promise<readonly ComparedColumn[]> {
  const serverless = SERVERLESS.map(
    (name): ComparedColumn => ({
      column: columnNamed(name),
      opening: { source: `${name}:`, override: { ttlMs: options.ttlMs } },
      processes: 'one',
    }),
  );
  const subjects = await Promise.all(servers.map((server) => comparedColumnsOn(server, options)));
  return [UNLOCKED, ...serverless, ...subjects.flat()];
}

async function comparedColumnsOn(
  server: ComparedServer,
  options: ComparedColumnOptions,
): Promise<readonly ComparedColumn[]> {
  const { config } = server.resolved;
  const { source } = server;
  if (SERVERLESS.includes(config.backend)) return [];
  if (isRedisSimple(config)) {
    const subjects = await redisColumns(source, config, options);
    return subjects.map((subject) => ({ ...subject, server }));
  }
  if (isZk(config)) {
    // Its ttl is the timeout of a session, which counts for more than one that a URL asks for.
    const opening = { source, override: { ...options } };
    return [{ column: columnNamed(config.backend), opening, processes: 'all', server }];
  }
  const { backend } = config;
  const column = { id: backend, backend, meaning: 'the backend of your configuration' };
  // Nobody knows what a backend of somebody else's makes of a namespace: there it is a part of each key.
  const override = isOneRedis(config) || isRedlock(config) ? options : { ttlMs: options.ttlMs };
  return [{ column, opening: { source, override: { ...override } }, processes: 'all', server }];
}

async function redisColumns(
  source: string,
  { backend, library: chosen, client }: RedisSimpleConfig,
  options: ComparedColumnOptions,
): Promise<readonly ComparedColumn[]> {
  if (client !== undefined) {
    const meaning = 'one Redis, a key with a ttl and a fencing token, a client of your own';
    const opening = { source, override: { ...options } };
    return [{ column: { id: backend, backend, meaning }, opening, processes: 'all' }];
  }
  const libraries = chosen === undefined ? await installed() : [chosen];
  return libraries.map((library) => ({
    column: columnOver(library, backend),
    opening: { source, override: { ...options, library } },
    processes: 'all',
    library,
  }));
}

function columnOver(library: RedisLibrary, backend: string): Column {
  const own = lockNamed(backend)?.on.find(({ client }) => client === CLIENT_OF[library]);
  return columnNamed(own?.id ?? backend);
}

/** All client libraries that are there; with none, opening the first says what to install. */
async function installed(): Promise<readonly RedisLibrary[]> {
  const found = await Promise.all(LIBRARIES.map(isInstalled));
  const libraries = LIBRARIES.filter((_, index) => found[index]);
  return libraries.length === 0 ? LIBRARIES.slice(0, 1) : libraries;
}

async function isInstalled(library: RedisLibrary): Promise<boolean> {
  try {
    await (library === 'ioredis' ? import('ioredis') : import('redis'));
    return true;
  } catch {
    return false;
  }
}
