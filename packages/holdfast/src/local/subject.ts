import type { RedisLibrary } from '@holdfast/redis';
import { isRedisSimple } from '../backends/redis-simple.ts';
import { COLUMNS, type Column, type ColumnId } from '../compare/notation.ts';
import type { Resolved } from '../config/source.ts';
import type { RedisSimpleConfig } from '../config/types.ts';
import type { Opening } from './messages.ts';

/** A column together with how to open it; null: there is no lock. */
export interface Subject {
  readonly column: Column;
  readonly opening: Opening | null;
  /** Only with memory one process has it for itself. */
  readonly processes: 'one' | 'all';
  /** The client library, where the column stands for one. */
  readonly library?: RedisLibrary;
}

export interface SubjectOptions {
  /** Of our own, so that nothing of anybody else's is touched. */
  readonly namespace: string;
  readonly ttlMs: number;
}

const LIBRARIES: readonly RedisLibrary[] = ['ioredis', 'redis'];

const COLUMN_OF: Readonly<Record<RedisLibrary, ColumnId>> = {
  ioredis: 'redis-simple/ioredis',
  redis: 'redis-simple/node-redis',
};

const CONTROL: Subject = { column: COLUMNS['no-lock'], opening: null, processes: 'all' };

/** What is compared on a server: the control, memory, and the backend of `source`, over each client that is there. */
export async function subjectsOf(
  source: string,
  { config }: Resolved,
  options: SubjectOptions,
): Promise<readonly Subject[]> {
  const override = { ttlMs: options.ttlMs };
  const memory: Subject = {
    column: COLUMNS.memory,
    opening: { source: 'memory:', override },
    processes: 'one',
  };
  const { backend } = config;
  if (backend === 'memory') return [CONTROL, memory];
  if (isRedisSimple(config)) {
    return [CONTROL, memory, ...(await redisSubjects(source, config, options))];
  }
  const column = { id: backend, backend, meaning: 'the backend of your configuration' };
  return [CONTROL, memory, { column, opening: { source, override }, processes: 'all' }];
}

async function redisSubjects(
  source: string,
  { library: chosen, client }: RedisSimpleConfig,
  options: SubjectOptions,
): Promise<readonly Subject[]> {
  if (client !== undefined) {
    const id = 'redis-simple';
    const meaning = 'one Redis, a key with a ttl and a fencing token, a client of your own';
    const opening = { source, override: { ...options } };
    return [{ column: { id, backend: id, meaning }, opening, processes: 'all' }];
  }
  const libraries = chosen === undefined ? await installed() : [chosen];
  return libraries.map((library) => ({
    column: COLUMNS[COLUMN_OF[library]],
    opening: { source, override: { ...options, library } },
    processes: 'all',
    library,
  }));
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
