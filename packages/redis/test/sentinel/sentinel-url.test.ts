import { ConfigError } from '@holdfast/core';
import { Redis } from 'ioredis';
import { createSentinel } from 'redis';
import { expect, test } from 'vitest';
import type { KnownClient } from '../../src/adapters/load.ts';
import { groupOfIoredis, groupOfUrl } from '../../src/adapters/sentinel-group.ts';
import { addressOfSource, openRedisNode } from '../../src/index.ts';
import { parseSentinelUrl } from '../../src/sentinel/sentinel-url.ts';
import { HandRuntime } from '../support/by-hand.ts';

test('a URL names the sentinels, the master, the database, and the log-in of the data nodes', () => {
  const url = 'rediss+sentinel://us%65r:p%40ss:w@s1:1,[::1]:2,s3/my%20master/4';

  expect(parseSentinelUrl(url)).toEqual({
    sentinels: [
      { host: 's1', port: 1 },
      { host: '::1', port: 2 },
      { host: 's3', port: 26_379 },
    ],
    name: 'my master',
    db: 4,
    isTls: true,
    username: 'user',
    password: 'p@ss:w',
  });
});

test.each([
  'redis+sentinel://',
  'redis+sentinel://s1,s2',
  'redis+sentinel://s1,s2/',
  'redis+sentinel://s1,,s2/m',
  'redis+sentinel://s1:0/m',
  'redis+sentinel://s1:65536/m',
  'redis+sentinel://s1:x/m',
  'redis+sentinel://s1,S1:26379/m',
  'redis+sentinel://s1/m/x',
  'redis+sentinel://s1/m/1/2',
  'redis+sentinel://s1/m?secret',
  'redis+sentinel://u:secret%@s1/m',
  'redis+sentinel://u:secret@s1,u:secret@s2/m',
  'redis+sentinel://u:secret%40s1/m',
])('%s is refused, and a password is not shown', (url) => {
  let error: unknown;
  try {
    parseSentinelUrl(url);
  } catch (thrown) {
    error = thrown;
  }

  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).not.toContain('secret');
});

const NO_TLS = { tls: 'none' };
/** The options of a client, with a word for no TLS. */
const optionsOf = ({ client }: KnownClient): object => ({ ...NO_TLS, ...client.options });

test.each([
  ['redis', undefined, NO_TLS, NO_TLS],
  ['rediss', undefined, { tls: { ca: 'ours' } }, { tls: { ca: 'ours' } }],
  ['rediss', false, { tls: { ca: 'ours' } }, NO_TLS],
  ['redis', true, NO_TLS, { tls: { ca: 'ours' } }],
  ['rediss', { ca: 'theirs' }, { tls: { ca: 'ours' } }, { tls: { ca: 'theirs' } }],
])(
  '%s+sentinel:// with sentinelTls %o: both have a log-in and TLS of their own',
  async (scheme, sentinelTls, data, sentinel) => {
    const group = await groupOfUrl(`${scheme}+sentinel://user:p@s1/m/3`, {
      library: 'ioredis',
      tls: { ca: 'ours' },
      sentinelPassword: 's',
      sentinelTls,
    });

    expect(optionsOf(group.data)).toMatchObject({
      username: 'user',
      password: 'p',
      db: 3,
      ...data,
    });
    expect(optionsOf(group.sentinel)).toMatchObject({ password: 's', db: 0, ...sentinel });
    expect(optionsOf(group.sentinel)).not.toHaveProperty('username', 'user');
  },
);

test('a client of ioredis says if its servers and its sentinels use TLS', () => {
  const options = { sentinels: [{ host: 's1' }], name: 'm', lazyConnect: true };
  const ca = 'ours';
  const plain = groupOfIoredis(new Redis({ ...options, tls: { ca } }));
  const secure = groupOfIoredis(
    new Redis({
      ...options,
      tls: { ca },
      enableTLSForSentinelMode: true,
      sentinelTLS: { ca: 's' },
    }),
  );

  expect(plain.data.client.options).toMatchObject({ tls: undefined, sentinels: null });
  expect(secure.data.client.options).toMatchObject({ tls: { ca } });
  expect(secure.sentinel.client.options).toMatchObject({ tls: { ca: 's' } });
});

const sentinels = [{ host: 's1', port: 1 }, { host: 's2' }];
const sentinelRootNodes = [
  { host: 's1', port: 1 },
  { host: 's2', port: 26_379 },
];

test.each([
  ['a URL', 'redis+sentinel://u:p@s1:1,s2/m/3'],
  ['a client of ioredis', new Redis({ sentinels, name: 'm', db: 3, lazyConnect: true })],
  [
    'a client of node-redis',
    createSentinel({ sentinelRootNodes, name: 'm', nodeClientOptions: { database: 3 } }),
  ],
])('%s is known by its sentinels and its master', async (_, source) => {
  expect(await addressOfSource(source)).toBe('s1:1,s2:26379/m/3');
});

test.each([
  ['that is shared', { sentinels, name: 'm' }, true],
  ['of replicas', { sentinels, name: 'm', role: 'slave' as const }, false],
  [
    'with a sentinel that is listed twice',
    { sentinels: [...sentinels, ...sentinels], name: 'm' },
    false,
  ],
])('a client of sentinels %s is refused', async (_, options, shareClient) => {
  const client = new Redis({ ...options, lazyConnect: true });

  const opening = openRedisNode({ client, shareClient }, { runtime: new HandRuntime() });

  await expect(opening).rejects.toThrow(ConfigError);
});
