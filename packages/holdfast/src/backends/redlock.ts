import type { RedisClient, RedisLibrary } from '@holdfast/redis';
import * as v from 'valibot';
import { defaults, flag, layout, name } from '../config/fields.ts';
import type { LockDefaults, NamedConfig } from '../config/types.ts';
import type { BackendRecord } from './record.ts';
import { isRedisUrl, noUrl, redisClient, redisOptions, URL_MEANS } from './redis-options.ts';

/** Redlock: a majority of independent Redis servers. */
export interface RedlockConfig extends LockDefaults {
  readonly backend: 'redlock';
  /** URLs, or clients of ioredis, iovalkey or node-redis, which are duplicated. Three or more, an odd number, no replicas. */
  readonly nodes: readonly (string | RedisClient)[];
  /** The client library that opens URLs; default: the installed one, ioredis first; `resp` if there is none. */
  readonly library?: RedisLibrary | undefined;
  /** For `rediss://`: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** The first part of every stored name; default `holdfast`. Locks of two namespaces never exclude each other. */
  readonly namespace?: string | undefined;
  /**
   * `plain`: the vote of a node is the very key that the user names, as redlock of npm and others keep it: both exclude each
   * other on the same list of nodes. Waiters poll, and nothing is handed over. Default `own`.
   */
  readonly layout?: 'own' | 'plain' | undefined;
  /** True: allow fewer than three nodes, for a test or a migration. */
  readonly allowSmall?: boolean | undefined;
}

const backend = name('redlock', 'Redlock: a majority of independent Redis servers.');
const MANY = 'must be a list of nodes';
const MEANING_OF_NODES = 'URLs of independent servers: three or more, an odd number, no replicas.';
const nodeUrl = v.pipe(
  v.string('must be a string'),
  v.check(
    (node) => !isReplicated(node),
    'must be URLs of independent servers: behind sentinels or in a cluster, a promoted replica can lose votes, so that two clients may hold a key at once (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/#why-failover-based-implementations-are-not-enough)',
  ),
  v.check(isRedisUrl, noUrl),
  v.description(URL_MEANS),
);
const allowSmall = flag('true: allow fewer than three nodes, for a test or a migration.');

export const redlock: BackendRecord<RedlockConfig> = {
  name: 'redlock',
  schemes: {
    redlock: {
      shown: 'redlock://',
      config: (_url, rest) => ({ backend: 'redlock', nodes: nodesIn(rest) }),
    },
  },
  schema: v.strictObject({
    backend,
    nodes: v.array(
      v.union(
        [nodeUrl, redisClient],
        'must list URLs that start with redis://, rediss:// or redis+unix://, or clients',
      ),
      MANY,
    ),
    layout,
    allowSmall,
    ...redisOptions,
    ...defaults,
  }),
  fileSchema: v.strictObject({
    backend,
    nodes: v.pipe(v.array(nodeUrl, MANY), v.description(MEANING_OF_NODES)),
    layout,
    allowSmall,
    ...redisOptions,
    ...defaults,
  }),
  omitted: {
    quorum: 'it cannot be chosen: only a majority shares a node with every other.',
    fencingEpoch: 'it has no fencing tokens.',
  },
  load: async ({ layout: stored }) => {
    const { capabilities, openRedlock, plainCapabilities } = await import('@holdfast/redlock');
    return {
      capabilities: stored === 'plain' ? plainCapabilities : capabilities,
      open: ({ nodes: sources, library, tls, namespace, allowSmall: small }, host) =>
        openRedlock({ sources, library, tls, namespace, allowSmall: small, layout: stored }, host),
    };
  },
};

/** True by name alone, since the configuration has been checked. */
export function isRedlock(config: NamedConfig): config is RedlockConfig {
  return config.backend === redlock.name;
}

/** True for the URL schemes of some clients for servers with replicas. */
function isReplicated(url: string): boolean {
  return /^(?:rediss?[+-])?(?:sentinels?|cluster):/i.test(url);
}

/** `//[user:password@]host[:port],host[:port],…[/database]`: one URL per host, all with this user and database. */
function nodesIn(rest: string): string[] {
  const [, credentials = '', hosts = '', database = ''] =
    /^\/\/(.*@)?([^/]*)(\/.*)?$/s.exec(rest) ?? [];
  return hosts.split(',').map((host) => `redis://${credentials}${host}${database}`);
}
