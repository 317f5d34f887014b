import type { RedisClient } from '@holdfast/redis';
import * as v from 'valibot';
import { defaults, flag, name, text } from './fields.ts';
import type {
  ImportedConfig,
  MemoryConfig,
  RedisGetsetConfig,
  RedisSimpleConfig,
  RedlockConfig,
  ZkConfig,
} from './types.ts';
import { parseZkUrl, ZkUrlError } from './zk-url.ts';

/** Whether `text` is a URL that Redis clients take. */
function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//i.test(url) && URL.canParse(url);
}

/** What has replicas in it, as some clients write it. */
function isReplicated(url: string): boolean {
  return /^(?:rediss?[+-])?(?:sentinels?|cluster):/i.test(url);
}

const NO_URL = 'must be a valid URL that starts with redis:// or rediss://';
const URL_MEANS = 'redis://user:password@host:6379/0, or rediss:// for TLS.';

const redisUrl = v.pipe(
  v.string('must be a string'),
  v.check(isRedisUrl, NO_URL),
  v.description(URL_MEANS),
);

const redisOptions = {
  library: v.optional(
    v.pipe(
      v.picklist(['ioredis', 'redis'], 'must be "ioredis" or "redis"'),
      v.description(
        'Which client library opens the URL; default: the one that is installed, ioredis first.',
      ),
    ),
  ),
  tls: v.optional(
    v.pipe(
      v.looseObject({}, 'must be an object'),
      v.description('For rediss://: options of tls.connect, for example { "ca": "…" }.'),
    ),
  ),
  namespace: text(
    'The first part of every stored name; default "holdfast". Two namespaces are two worlds of locks.',
  ),
} as const;

const client = v.custom<RedisClient>(
  (value) => (typeof value === 'object' && value !== null) || typeof value === 'function',
  'must be an ioredis or node-redis client',
);

const clientOptions = {
  client: v.optional(client),
  asIs: flag('true: use this very client instead of a copy with safe options.'),
} as const;

export const memoryConfig: v.GenericSchema<MemoryConfig> = v.strictObject({
  backend: name('memory', 'Locks within this process.'),
  ...defaults,
});

const redisSimple = name('redis-simple', 'SET NX PX with fencing tokens on one Redis.');

export const redisSimpleConfig: v.GenericSchema<RedisSimpleConfig> = v.strictObject({
  backend: redisSimple,
  url: v.optional(redisUrl),
  ...redisOptions,
  ...clientOptions,
  ...defaults,
});

/** What of it a file can say: JSON holds no client. */
export const redisSimpleFile: v.GenericSchema<RedisSimpleConfig> = v.strictObject({
  backend: redisSimple,
  url: redisUrl,
  ...redisOptions,
  ...defaults,
});

const redisGetset = name('redis-getset', 'The legacy SETNX + GETSET lock: client clocks decide.');
const checkAge = flag(
  'true: a release leaves the key alone once its own stamp is past. Default false, as in the original recipe.',
);

export const redisGetsetConfig: v.GenericSchema<RedisGetsetConfig> = v.strictObject({
  backend: redisGetset,
  url: v.optional(redisUrl),
  checkAge,
  ...redisOptions,
  ...clientOptions,
  ...defaults,
});

export const redisGetsetFile: v.GenericSchema<RedisGetsetConfig> = v.strictObject({
  backend: redisGetset,
  url: redisUrl,
  checkAge,
  ...redisOptions,
  ...defaults,
});

const redlock = name('redlock', 'Redlock: a majority of independent Redis servers.');
const MANY = 'must be a list of nodes';
const MEANING_OF_NODES = 'URLs of independent servers: three or more, an odd number, no replicas.';
const nodeUrl = v.pipe(
  v.string('must be a string'),
  v.check(
    (node) => !isReplicated(node),
    'must be URLs of independent servers: behind sentinels or in a cluster a replica that is promoted forgets votes, so that two may hold a key at once (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/#why-failover-based-implementations-are-not-enough)',
  ),
  v.check(isRedisUrl, NO_URL),
  v.description(URL_MEANS),
);
const allowSmall = flag('true: fewer than three nodes will do, for a test or a migration.');

export const redlockConfig: v.GenericSchema<RedlockConfig> = v.strictObject({
  backend: redlock,
  nodes: v.array(
    v.union([nodeUrl, client], 'must list URLs that start with redis:// or rediss://, or clients'),
    MANY,
  ),
  allowSmall,
  ...redisOptions,
  ...defaults,
});

export const redlockFile: v.GenericSchema<RedlockConfig> = v.strictObject({
  backend: redlock,
  nodes: v.pipe(v.array(nodeUrl, MANY), v.description(MEANING_OF_NODES)),
  allowSmall,
  ...redisOptions,
  ...defaults,
});

/** What is wrong with it, as a rule; undefined where nothing is. */
function zkComplaint(url: string): string | undefined {
  try {
    parseZkUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof ZkUrlError) return error.message;
    throw error;
  }
}

const MEANING_OF_ZK_URL =
  'zk://user:password@host1:2181,host2:2181/chroot?sessionTimeout=10000; user and password for digest authentication.';

export const zkConfig: v.GenericSchema<ZkConfig> = v.strictObject({
  backend: name('zk', 'A ZooKeeper ensemble.'),
  url: v.pipe(
    v.string('must be a string'),
    v.check(
      (url) => zkComplaint(url) === undefined,
      ({ input }) => zkComplaint(input) ?? '',
    ),
    v.description(MEANING_OF_ZK_URL),
  ),
  client: v.optional(
    v.pipe(
      v.picklist(['zk-client', 'zookeeper'], 'must be "zk-client" or "zookeeper"'),
      v.description(
        'What talks to the servers: our own client, which is the default, or npm zookeeper where that is installed.',
      ),
    ),
  ),
  tls: v.optional(
    v.pipe(
      v.looseObject({}, 'must be an object'),
      v.description('Talk TLS, with these options of tls.connect, for example { "ca": "…" }.'),
    ),
  ),
  namespace: text(
    'The node under which everything is stored; default "holdfast". Two namespaces are two worlds of locks.',
  ),
  ...defaults,
});

export const importedConfig: v.GenericSchema<ImportedConfig> = v.looseObject({
  backend: v.pipe(
    v.string('must be a string'),
    v.description('A package, or a file (./mine.js), that exports openBackend.'),
  ),
  ...defaults,
});
