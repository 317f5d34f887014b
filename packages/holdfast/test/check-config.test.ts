import { expect, test } from 'vitest';
import { checkConfig } from '../src/config/check-config.ts';

const url = 'redis://localhost';

test.for([
  { backend: 'memory' },
  {
    backend: 'memory',
    ttlMs: 100,
    waitMs: 0,
    renew: false,
    maxHoldMs: 60_000,
    require: ['fencing'],
  },
  { backend: 'memory', waitMs: Number.POSITIVE_INFINITY },
  { backend: 'redis-simple', url, library: 'redis', namespace: 'orders', $schema: './x.json' },
  { backend: 'redis-simple', url: 'rediss://h', tls: { ca: 'x' } },
  { backend: 'redis-simple', client: {}, shareClient: true },
  { backend: 'redis-getset', url, checkAge: true },
  { backend: 'redis-getset', client: {} },
  { backend: 'redlock', nodes: [url, 'rediss://h:1', {}], allowSmall: false, namespace: 'orders' },
  { backend: 'zk', url: 'zk://h', ttlMs: 5_000, tls: {}, namespace: 'orders' },
  { backend: 'zk', url: 'zk://h,i/c?sessionTimeout=5000', client: 'zookeeper' },
  { backend: 'etcd', url: 'etcd://u:p@h,i:1', ttlMs: 5_000, tls: {}, namespace: 'orders' },
  { backend: 'postgres', url: 'postgres://u:p@h/app', library: 'pg', connections: 2 },
  { backend: 'postgres', client: {}, schema: 'locks', namespace: 'orders', synchronous: true },
  { backend: './mine.js', options: { anything: 'goes' }, ttlMs: 5_000 },
])('%j is a configuration', (config) => {
  expect(checkConfig(config, 'config')).toEqual(config);
});

const wrong: readonly (readonly [unknown, string])[] = [
  [null, 'config must be an object such as { "backend": "memory" }'],
  [['memory'], 'config must be an object such as { "backend": "memory" }'],
  [
    { url },
    'config needs "backend": one of memory, redis-simple, redis-getset, redlock, zk, etcd, postgres, postgres-advisory, moving, or the name of a package or file.',
  ],
  [
    { bakend: 'memory' },
    'config needs "backend": one of memory, redis-simple, redis-getset, redlock, zk, etcd, postgres, postgres-advisory, moving, or the name of a package or file. Did you mean "backend" by "bakend"?',
  ],
  [
    { backend: 'redis-simple', url, nmespace: 'a' },
    'config: backend redis-simple has no option "nmespace". Did you mean "namespace"?',
  ],
  [
    { backend: 'memory', url },
    'config: backend memory has no option "url". Use one of fencingEpoch, ttlMs, waitMs, renew, maxHoldMs, require, connect.',
  ],
  [
    { backend: 'memory', ttlMs: '10s' },
    'config: ttlMs must be a whole number of ms from 100 to 86400000, not "10s".',
  ],
  [
    { backend: 'memory', ttlMs: 99 },
    'config: ttlMs must be a whole number of ms from 100 to 86400000, not 99.',
  ],
  [
    { backend: './mine.js', ttlMs: 1.5 },
    'config: ttlMs must be a whole number of ms from 100 to 86400000, not 1.5.',
  ],
  [
    { backend: './mine.js', endpoints: ['a'] },
    'config: backend "./mine.js" is none of memory, redis-simple, redis-getset, redlock, zk, etcd, postgres, postgres-advisory, moving, so its own options go under "options": { "endpoints": … }.',
  ],
  [
    { backend: './mine.js', tllMs: 5_000 },
    'config: backend "./mine.js" is none of memory, redis-simple, redis-getset, redlock, zk, etcd, postgres, postgres-advisory, moving, so its own options go under "options": { "tllMs": … }. Did you mean "ttlMs"?',
  ],
  [
    { backend: 'redis-simpel', url },
    'config: unknown backend "redis-simpel"; built in are memory, redis-simple, redis-getset, redlock, zk, etcd, postgres, postgres-advisory, moving. Did you mean "redis-simple"?',
  ],
  [{ backend: './mine.js', options: 'x' }, 'config: options must be an object, not "x".'],
  [
    { backend: 'memory', waitMs: -1 },
    'config: waitMs must be a whole number of ms, 0 or more, or Infinity, not -1.',
  ],
  [{ backend: 'memory', renew: 'no' }, 'config: renew must be true or false, not "no".'],
  [{ backend: 'memory', connect: 'now' }, 'config: connect must be "eager" or "lazy", not "now".'],
  [{ backend: 'memory', require: 'cp' }, 'config: require must be a list, not "cp".'],
  [
    { backend: 'memory', require: ['fencin'] },
    'config: require must be one of fencing, strict-fencing, per-call-ttl, fifo, cp, no-eviction, shared, permits, or { "survives": "…" } with a fault, not "fencin". Did you mean "fencing"?',
  ],
  [
    { backend: 'redis-simple' },
    'config: backend redis-simple needs "url", for example "redis://localhost:6379", or "client".',
  ],
  [{ backend: 'redis-simple', url, client: {} }, 'config: "url" and "client" exclude each other.'],
  [
    { backend: 'redis-simple', url, shareClient: true },
    'config: "shareClient" needs a "client"; remove it, or give one.',
  ],
  [
    { backend: 'redis-simple', client: {}, library: 'redis' },
    'config: "library" is for "url" only; remove it beside "client".',
  ],
  [
    { backend: 'redis-simple', url, sentinelPassword: 'x' },
    'config: "sentinelPassword" is for a "url" with redis+sentinel:// only; a client has its own.',
  ],
  [
    { backend: 'redis-getset', client: {}, natMap: {} },
    'config: "natMap" is for a "url" with redis+sentinel:// only; a client has its own.',
  ],
  [
    { backend: 'redis-simple', url: 'redis+sentinel://a/m', natMap: { 'b:1': 'c:1' } },
    'config: natMap must be an object such as { "10.0.0.1:6379": { "host": "redis-1.example", "port": 6379 } }, or a function, not an object.',
  ],
  [
    { backend: 'redis-simple', url, library: 'jedis' },
    'config: library must be "resp", "ioredis", "iovalkey" or "redis", not "jedis".',
  ],
  [
    { backend: 'redis-getset', url, checkAg: true },
    'config: backend redis-getset has no option "checkAg". Did you mean "checkAge"?',
  ],
  [
    { backend: 'redis-getset' },
    'config: backend redis-getset needs "url", for example "redis://localhost:6379", or "client".',
  ],
  [{ backend: 'redlock', nodes: url }, `config: nodes must be a list of nodes, not "${url}".`],
  [
    { backend: 'redlock', nodes: [url, 'redis+sentinel://h:1', 'redis://c'] },
    'config: nodes must be URLs of independent servers: behind sentinels or in a cluster, a promoted replica can lose votes, so that two clients may hold a key at once (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/#why-failover-based-implementations-are-not-enough), not "redis+sentinel://h:1".',
  ],
  [
    { backend: 'redlock', nodes: [url, 'http://h:1', 'redis://c'] },
    'config: nodes must be a valid URL that starts with redis://, rediss:// or redis+unix://, not "http://h:1".',
  ],
  [
    { backend: 'redlock', nodes: [url], quorum: 1 },
    'config: backend redlock has no option "quorum": it cannot be chosen: only a majority shares a node with every other.',
  ],
  [
    { backend: 'zk', url: 'zk://user:secret@a,b:nowhere' },
    'config: url must name every server as host or host:port, separated by commas, not "zk://***@a,b:nowhere".',
  ],
  [
    { backend: 'zk', servers: ['a'] },
    'config: backend zk has no option "servers". Use one of url, client, tls, namespace, locksAt, fencingEpoch, ttlMs, waitMs, renew, maxHoldMs, require, connect.',
  ],
  [{ backend: 'zk' }, 'config: backend zk needs "url".'],
  [
    { backend: 'etcd', url: 'etcd://user:secret@a/b' },
    'config: url must be a URL such as etcd://host1:2379,host2:2379, not "etcd://***@a/b".',
  ],
  [
    { backend: 'postgres' },
    'config: backend postgres needs "url", for example "postgres://localhost/app", or "client".',
  ],
  [
    { backend: 'postgres', url: 'mysql://user:secret@h' },
    'config: url must be a URL that starts with postgres:// or postgresql://, not "mysql://***@h".',
  ],
  [
    { backend: 'postgres', url: 'postgres://h', client: {} },
    'config: "url" and "client" exclude each other.',
  ],
  [
    { backend: 'postgres', client: {}, library: 'pg' },
    'config: "library" is for "url" only; remove it beside "client".',
  ],
  [
    { backend: 'postgres', url: 'postgres://h', connections: 0 },
    'config: connections must be a whole number from 1 to 100, not 0.',
  ],
  [{ backend: 'redlock' }, 'config: backend redlock needs "nodes".'],
  [
    { backend: 'zk', url: 'zk://a', client: 'curator' },
    'config: client must be "zk-client" or "zookeeper", not "curator".',
  ],
  [
    { backend: 'zk', url: 'zk://a?sessionTimeout=4000', ttlMs: 5_000 },
    'config: "ttlMs" and the sessionTimeout of "url" set one value; give only one of them.',
  ],
  [
    { backend: 'zk', url: 'zk://user:secret@a', client: 'zookeeper' },
    'config: npm zookeeper cannot protect nodes by credentials; use "zk-client".',
  ],
  [
    { backend: 'zk', url: 'zk://a', client: 'zookeeper', tls: {} },
    'config: "tls" is for "zk-client" only; npm zookeeper does not support it.',
  ],
  [
    { backend: 'redis-simple', url: { password: 'secret' } },
    'config: url must be a string, not an object.',
  ],
];

test.for(wrong)('%j is refused in one sentence', ([config, message]) => {
  const refused = expect.objectContaining({ name: 'ConfigError', message });

  expect(() => checkConfig(config, 'config')).toThrow(refused);
});

test('no error shows a password, for any length and spelling of the URL', () => {
  const password = `secret${'x'.repeat(200)}`;
  for (const bad of [`http://user:${password}@host`, `redis:/user:${password}@host`]) {
    const error = errorOf(() => checkConfig({ backend: 'redis-simple', url: bad }, 'config'));

    expect(error.message).toContain(
      'must be a valid URL that starts with redis://, rediss:// or redis+unix://',
    );
    expect(error.message).not.toContain('secret');
  }
});

function errorOf(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

test.each([
  [
    {
      url: 'redis+cluster://me:p%40ss@a:7000,[::1]:7001,c',
      natMap: { 'a:1': { host: 'b', port: 2 } },
    },
  ],
  [{ url: 'rediss+cluster://a/0', tls: {} }],
])('the URL of a cluster is one of redis-simple: %j', (options) => {
  const config = { backend: 'redis-simple', ...options };
  expect(checkConfig(config, 'config')).toEqual(config);
});

test.each(['/', '?', '#'])(
  'a URL that the "%s" of a password ends is refused with the way out',
  (sign) => {
    expect(checkOfUrl(`redis://:a${sign}b@h:1`)).toThrow('of a password as %2F, %3F and %23, not');
    expect(checkOfUrl('redis://:ab@h:one')).not.toThrow('%2F');
  },
);

function checkOfUrl(given: string): () => unknown {
  return () => checkConfig({ backend: 'redis-simple', url: given }, 'config');
}

test.each([
  [{ url: 'redis+cluster://a,,b' }, /^config: url must be a valid URL/],
  [{ url: 'redis+cluster://a,b/2' }, /^config: url must be a valid URL/],
  [{ url: 'redis+cluster://a', natMap: { 'a:1': 'b' } }, /natMap must be an object such as/],
])('a cluster that cannot be meant is refused: %j', (options, message) => {
  const check = (): unknown => checkConfig({ backend: 'redis-simple', ...options }, 'config');
  expect(check).toThrow(message);
});
