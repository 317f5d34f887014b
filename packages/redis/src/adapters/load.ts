import { ConfigError } from '@holdfast/core';
import type { Endpoint } from '../endpoint.ts';
import type { IoredisClient, NodeRedisClient } from './clients.ts';

/** The client library to use for a URL, by the name it is installed under. */
export type RedisLibrary = 'ioredis' | 'redis';

/** A client of one of the libraries, not yet connected. */
export type KnownClient =
  | { readonly library: 'ioredis'; readonly client: IoredisClient }
  | { readonly library: 'redis'; readonly client: NodeRedisClient };

/** What we use of the two modules. */
export interface Libraries {
  readonly ioredis: () => Promise<{ readonly Redis: new (options: object) => IoredisClient }>;
  readonly redis: () => Promise<{ readonly createClient: (options: object) => NodeRedisClient }>;
}

/** On demand, since both are optional. Bundlers take a missing one for an error unless a failure is handled right here. */
const INSTALLED: Libraries = {
  ioredis: () => import('ioredis').catch(failed),
  redis: () => import('redis').catch(failed),
};

/** As it would have without this; `unlessMissing` looks at it. */
function failed(cause: unknown): never {
  throw cause;
}

/**
 * A client for this endpoint, of the library asked for, or of whichever is installed, ioredis first. `tls` goes to
 * `tls.connect`. It is never connected: its configuration is what is used.
 * @throws ConfigError naming what to install
 */
export async function loadClient(
  endpoint: Endpoint,
  {
    library,
    tls,
  }: { readonly library?: RedisLibrary | undefined; readonly tls?: object | undefined },
  libraries: Libraries = INSTALLED,
): Promise<KnownClient> {
  if (library !== 'redis') {
    const ioredis = await unlessMissing('ioredis', libraries.ioredis);
    if (ioredis !== undefined) {
      return { library: 'ioredis', client: new ioredis.Redis(ioredisOptions(endpoint, tls)) };
    }
  }
  if (library !== 'ioredis') {
    const redis = await unlessMissing('redis', libraries.redis);
    if (redis !== undefined) {
      return { library: 'redis', client: redis.createClient(nodeRedisOptions(endpoint, tls)) };
    }
  }
  throw new ConfigError(
    library === undefined
      ? 'Redis needs a client library, and none is installed: npm i ioredis'
      : `the client library ${library} is not installed: npm i ${library}`,
  );
}

function ioredisOptions(endpoint: Endpoint, tls: object | undefined): object {
  const { host, port, db, isTls } = endpoint;
  const socket = { host, port, ...(isTls ? { tls: { ...tls } } : {}) };
  return { ...socket, db, ...credentials(endpoint), lazyConnect: true };
}

function nodeRedisOptions(endpoint: Endpoint, tls: object | undefined): object {
  const { host, port, db, isTls } = endpoint;
  const socket = isTls ? { ...tls, host, port, tls: true } : { host, port };
  return { socket, database: db, ...credentials(endpoint) };
}

function credentials({ username, password }: Endpoint): object {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}

/** The module, or undefined when it is not installed; when it is there and fails to load, that is an error. */
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
      // The other is what `require` says, to which some bundlers turn an import.
      (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') &&
      error.message.includes(`'${name}'`);
    if (isMissing) return undefined;
    throw error;
  }
}
