import { ConfigError } from '@holdfast/core';
import type { Endpoint } from '../endpoint.ts';
import type { IoredisClient, NodeRedisClient, RespClient } from './clients.ts';
import { loadAdapter } from './dialer.ts';
import { rejectRefused } from './refused.ts';

/** The client library for a URL, by the name under which it is installed; `resp` is our own connection, without any. */
export type RedisLibrary = 'resp' | 'ioredis' | 'iovalkey' | 'redis';

/** A client of one of the libraries, not yet connected. One of iovalkey is used as one of ioredis. */
export type KnownClient =
  | { readonly library: 'ioredis'; readonly client: IoredisClient }
  | { readonly library: 'redis'; readonly client: NodeRedisClient }
  | { readonly library: 'resp'; readonly client: RespClient };

/** One that a caller made. */
export type RecognisedClient = Exclude<KnownClient, { readonly library: 'resp' }>;

/** The used exports of the modules. */
export interface Libraries {
  readonly ioredis: () => Promise<IoredisModule>;
  readonly iovalkey: () => Promise<IoredisModule>;
  readonly redis: () => Promise<{ readonly createClient: CreateNodeRedis }>;
}

interface IoredisModule {
  readonly Redis: new (options: object) => IoredisClient;
}

type CreateNodeRedis = () => NodeRedisClient;

/**
 * Imports on demand, since all are optional. esbuild and webpack refuse a missing one unless a failure is handled right
 * here; webpack takes only the block `try` for that.
 */
const INSTALLED: Libraries = {
  ioredis: async () => {
    try {
      return await import('ioredis');
    } catch (error) {
      return failed(error);
    }
  },
  iovalkey: async () => {
    try {
      return await import('iovalkey');
    } catch (error) {
      return failed(error);
    }
  },
  redis: async () => {
    try {
      return await import('redis');
    } catch (error) {
      return failed(error);
    }
  },
};

/** Rethrows the error, for `unlessMissing`. */
function failed(cause: unknown): never {
  throw cause;
}

/** The order in which an installed one is looked for; the last needs none. */
const LIBRARIES: readonly RedisLibrary[] = ['ioredis', 'redis', 'iovalkey', 'resp'];

/**
 * Returns a client for this endpoint, of the given library, or of the installed one, ioredis first; without any, our own
 * connection. `tls` is passed to `tls.connect`. The client is never connected: only its configuration is used.
 * @throws ConfigError naming what to install, or why the installed version cannot be used
 */
export async function loadClient(
  endpoint: Endpoint,
  {
    library,
    tls,
  }: { readonly library?: RedisLibrary | undefined; readonly tls?: object | undefined },
  libraries: Libraries = INSTALLED,
): Promise<KnownClient> {
  for (const each of library === undefined ? LIBRARIES : [library]) {
    const known = await clientBy(each, endpoint, tls, libraries);
    if (known !== undefined) return known;
  }
  throw notInstalled(library ?? 'ioredis');
}

function notInstalled(library: RedisLibrary): ConfigError {
  return new ConfigError(`the client library ${library} is not installed: npm i ${library}`);
}

/**
 * As `loadClient`, of ioredis, or of iovalkey where that is installed alone: both take the same options.
 * @throws ConfigError if neither is installed
 */
export async function loadIoredis(
  endpoint: Endpoint,
  libraries: Libraries = INSTALLED,
): Promise<KnownClient> {
  for (const each of ['ioredis', 'iovalkey'] as const) {
    const known = await clientBy(each, endpoint, undefined, libraries);
    if (known !== undefined) return known;
  }
  throw notInstalled('ioredis');
}

/** Returns undefined if the library is not installed. */
async function clientBy(
  library: RedisLibrary,
  endpoint: Endpoint,
  tls: object | undefined,
  libraries: Libraries,
): Promise<KnownClient | undefined> {
  if (library === 'resp') {
    const { respClient } = await import('./resp/client.ts');
    return { library, client: await respClient(endpoint, tls) };
  }
  if (library === 'redis') {
    const redis = await unlessMissing(library, libraries.redis);
    if (redis === undefined) return undefined;
    await loadAdapter('redis');
    const client = unconfigured(redis.createClient).duplicate(nodeRedisOptions(endpoint, tls));
    return { library, client };
  }
  const ioredis = await unlessMissing(library, libraries[library]);
  if (ioredis === undefined) return undefined;
  await loadAdapter('ioredis');
  return { library: 'ioredis', client: new ioredis.Redis(ioredisOptions(endpoint, tls)) };
}

/**
 * Returns a client of node-redis with these options of `createClient`.
 * @throws ConfigError if node-redis is not installed
 */
export async function loadNodeRedis(
  options: object,
  libraries: Libraries = INSTALLED,
): Promise<KnownClient> {
  const redis = await unlessMissing('redis', libraries.redis);
  if (redis === undefined) throw notInstalled('redis');
  await loadAdapter('redis');
  return { library: 'redis', client: unconfigured(redis.createClient).duplicate(options) };
}

const UNCONFIGURED = new WeakMap<CreateNodeRedis, NodeRedisClient>();

/**
 * Returns the one client to be duplicated for every endpoint: `createClient` makes a class of some 400 methods for each
 * configuration, which takes 30 ms of CPU; a duplicate takes 0.02 ms.
 * @throws ConfigError if it is node-redis 4
 */
function unconfigured(createClient: CreateNodeRedis): NodeRedisClient {
  const client = UNCONFIGURED.get(createClient) ?? createClient();
  rejectRefused(client);
  UNCONFIGURED.set(createClient, client);
  return client;
}

function ioredisOptions(endpoint: Endpoint, tls: object | undefined): object {
  const { host, port, path, db, isTls } = endpoint;
  // Both families: ioredis 5 and iovalkey would look for an IPv4 address only.
  const where = path === undefined ? { host, port, family: 0 } : { path };
  const socket = { ...where, ...(isTls ? { tls: { ...tls } } : {}) };
  return { ...socket, db, ...credentials(endpoint), lazyConnect: true };
}

function nodeRedisOptions(endpoint: Endpoint, tls: object | undefined): object {
  const { host, port, path, db, isTls } = endpoint;
  const where = path === undefined ? { host, port } : { path };
  const socket = isTls ? { ...tls, ...where, tls: true } : where;
  return { socket, database: db, ...credentials(endpoint) };
}

function credentials({ username, password }: Endpoint): object {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}

/** Returns the module, or undefined if it is not installed. @throws if it is installed and fails to load */
async function unlessMissing<Module>(
  name: string,
  load: () => Promise<Module>,
): Promise<Module | undefined> {
  try {
    return await load();
  } catch (error) {
    const isMissing =
      error instanceof Error &&
      'code' in error &&
      // The second code is that of `require`, to which some bundlers turn an import.
      (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
      error.message.includes(`'${name}'`);
    if (isMissing) return undefined;
    throw error;
  }
}
