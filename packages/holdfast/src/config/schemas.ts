import { type Requirement, TTL_MS_MAX, TTL_MS_MIN } from '@holdfast/core';
import type { RedisClient } from '@holdfast/redis';
import * as v from 'valibot';
import type {
  ImportedConfig,
  MemoryConfig,
  RedisGetsetConfig,
  RedisSimpleConfig,
  RedlockConfig,
} from './types.ts';

/** The promises that `require` can name. */
export const REQUIREMENTS: readonly Requirement[] = [
  'fencing',
  'strict-fencing',
  'per-call-ttl',
  'fifo',
  'cp',
];

type Field<T> = v.GenericSchema<T | undefined>;

/** A whole number of ms; the message says the whole rule, whichever part of it was broken. */
function durationMs(min: number, max: number, meaning: string): Field<number> {
  const limit = max === Number.MAX_SAFE_INTEGER ? `, ${min} or more` : ` from ${min} to ${max}`;
  const rule = `must be a whole number of ms${limit}`;
  return v.optional(
    v.pipe(
      v.number(rule),
      v.integer(rule),
      v.minValue(min, rule),
      v.maxValue(max, rule),
      v.description(meaning),
    ),
  );
}

function waitMs(): Field<number> {
  const rule = 'must be a whole number of ms, 0 or more, or Infinity';
  const whole = v.pipe(v.number(rule), v.integer(rule), v.minValue(0, rule));
  const forever = v.literal(Number.POSITIVE_INFINITY, rule);
  const meaning = 'How long a caller waits for a lock, in ms; default 10000. 0 tries once.';
  return v.optional(v.pipe(v.union([whole, forever], rule), v.description(meaning)));
}

function flag(meaning: string): Field<boolean> {
  return v.optional(v.pipe(v.boolean('must be true or false'), v.description(meaning)));
}

function text(meaning: string): Field<string> {
  return v.optional(v.pipe(v.string('must be a string'), v.description(meaning)));
}

const defaults = {
  $schema: text('Where this schema is, for editors; ignored.'),
  ttlMs: durationMs(
    TTL_MS_MIN,
    TTL_MS_MAX,
    'Crash-to-takeover time: how long a key outlives its crashed holder, in ms; default 30000.',
  ),
  waitMs: waitMs(),
  renew: flag('false: leases are never renewed and end after ttlMs. Default true.'),
  maxHoldMs: durationMs(
    TTL_MS_MIN,
    Number.MAX_SAFE_INTEGER,
    'A lease ends after this many ms however often it is renewed. Default: no cap.',
  ),
  require: v.optional(
    v.pipe(
      v.array(
        v.picklist(REQUIREMENTS, `must be one of ${REQUIREMENTS.join(', ')}`),
        'must be a list',
      ),
      v.description(
        'Promises the code relies on; opening fails when the backend does not make one of them.',
      ),
    ),
  ),
} as const;

/** Whether `text` is a URL that Redis clients take. */
function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//i.test(url) && URL.canParse(url);
}

const redisUrl = v.pipe(
  v.string('must be a string'),
  v.check(isRedisUrl, 'must be a valid URL that starts with redis:// or rediss://'),
  v.description('redis://user:password@host:6379/0, or rediss:// for TLS.'),
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

function name<const N extends string>(only: N, meaning: string): v.GenericSchema<N> {
  return v.pipe(v.literal(only, `must be "${only}"`), v.description(meaning));
}

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
const allowSmall = flag('true: fewer than three nodes will do, for a test or a migration.');

export const redlockConfig: v.GenericSchema<RedlockConfig> = v.strictObject({
  backend: redlock,
  nodes: v.array(
    v.union([redisUrl, client], 'must list URLs that start with redis:// or rediss://, or clients'),
    MANY,
  ),
  allowSmall,
  ...redisOptions,
  ...defaults,
});

export const redlockFile: v.GenericSchema<RedlockConfig> = v.strictObject({
  backend: redlock,
  nodes: v.pipe(v.array(redisUrl, MANY), v.description(MEANING_OF_NODES)),
  allowSmall,
  ...redisOptions,
  ...defaults,
});

export const importedConfig: v.GenericSchema<ImportedConfig> = v.looseObject({
  backend: v.pipe(
    v.string('must be a string'),
    v.description('A package, or a file (./mine.js), that exports openBackend.'),
  ),
  ...defaults,
});
