import { ConfigError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { resolveSource } from '../src/config/source.ts';

test.for<[url: string, config: object]>([
  ['memory:?ttlMs=5000&renew=false', { backend: 'memory', ttlMs: 5_000, renew: false }],
  [
    'redis://u:p%3Fw@h:1/2?ttlMs=5000&namespace=shop&require=fencing,per-call-ttl',
    {
      backend: 'redis-simple',
      url: 'redis://u:p%3Fw@h:1/2',
      ttlMs: 5_000,
      namespace: 'shop',
      require: ['fencing', 'per-call-ttl'],
    },
  ],
  [
    'rediss://h?library=redis&waitMs=Infinity',
    { backend: 'redis-simple', url: 'rediss://h', library: 'redis', waitMs: Infinity },
  ],
  ['redis://h?waitReplicas=2', { backend: 'redis-simple', url: 'redis://h', waitReplicas: 2 }],
  ['redis://h?fair=true', { backend: 'redis-simple', url: 'redis://h', fair: true }],
  [
    'redis+unix://u:p@/r.sock?db=2&ttlMs=5000',
    { backend: 'redis-simple', url: 'redis+unix://u:p@/r.sock?db=2', ttlMs: 5_000 },
  ],
  ['unix:///r.sock?renew=false', { backend: 'redis-simple', url: 'unix:///r.sock', renew: false }],
  [
    'redlock://u:p@a:1,b:2/3?allowSmall=true&maxHoldMs=60000',
    {
      backend: 'redlock',
      nodes: ['redis://u:p@a:1/3', 'redis://u:p@b:2/3'],
      allowSmall: true,
      maxHoldMs: 60_000,
    },
  ],
  [
    'redis+sentinel://u:p@a:1,b/m/2?sentinelPassword=s%40&sentinelTls=true&ttlMs=5000',
    {
      backend: 'redis-simple',
      url: 'redis+sentinel://u:p@a:1,b/m/2',
      sentinelPassword: 's@',
      sentinelTls: true,
      ttlMs: 5_000,
    },
  ],
  [
    'zk://a:1,b:2/locks?ttlMs=4000&client=zookeeper',
    { backend: 'zk', url: 'zk://a:1,b:2/locks', ttlMs: 4_000, client: 'zookeeper' },
  ],
  // The parameter of its own stays where it is, in any order.
  [
    'zk://a?namespace=n%20m&sessionTimeout=4000',
    { backend: 'zk', url: 'zk://a?sessionTimeout=4000', namespace: 'n m' },
  ],
  // What the client library understands stays, too.
  [
    'postgres://u@h/app?sslmode=require&schema=locks&synchronous=true',
    {
      backend: 'postgres',
      url: 'postgres://u@h/app?sslmode=require',
      schema: 'locks',
      synchronous: true,
    },
  ],
  // A text of digits, where the option is a text.
  ['redis://h?namespace=2026', { backend: 'redis-simple', url: 'redis://h', namespace: '2026' }],
])('%s sets options, as on every other scheme', async ([url, config]) => {
  expect((await resolveSource(url)).config).toEqual(config);
});

test.for([
  ['redis://h?tllMs=5000', 'has no parameter "tllMs". Did you mean "ttlMs"?'],
  ['memory:?tllMs=5000', 'has no parameter "tllMs". Did you mean "ttlMs"?'],
  ['redis://h?ttlMs=5000&ttlMs=6000', 'has the parameter "ttlMs" twice'],
  ['redis://h?ttlMs=99', ': ttlMs must be a whole number of ms from 100 to 86400000, not 99.'],
  ['redis://h?ttlMs=', ': ttlMs must be a whole number of ms from 100 to 86400000, not "".'],
  ['redis://h?waitReplicas=0', ': waitReplicas must be a whole number from 1 to 100, not 0.'],
  ['redis://h?renew=no', ': renew must be true or false, not "no".'],
  ['redis://h?require=fencin', ': require must be one of fencing, '],
  ['redis://h?url=redis://i', 'cannot set "url" by a parameter: it says that itself'],
  ['redis://h?backend=zk', 'cannot set "backend" by a parameter: it says that itself'],
  ['redis://h?namespace=%', 'has a "namespace" that is not percent-encoded'],
  [
    'zk://a?ttlMs=4000&sessionTimeout=4000',
    '"ttlMs" and the sessionTimeout of "url" set one value',
  ],
] as const)('%s is refused: %s', async ([url, message]) => {
  const error: unknown = await resolveSource(url).catch((cause: unknown) => cause);

  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).toContain(message);
});
