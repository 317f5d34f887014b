import { ConfigError } from '@holdfast/core';
import { createHost } from '@holdfast/core/backend';
import { Cluster, Redis } from 'ioredis';
import { createCluster, createSentinel } from 'redis';
import { expect, test } from 'vitest';
import { TinyServer } from '../../redis/test/kit/tiny-server.ts';
import { openRedlock } from '../src/open.ts';

const one = { allowSmall: true } as const;

test.each([
  ['redis', 'AUTH'],
  ['ioredis', 'auth'],
] as const)('URLs are opened with the library %s', async (library, spelled) => {
  await using server = await TinyServer.start();

  const backend = await openRedlock({ sources: [server.url], library, ...one }, createHost());
  await backend.close();

  expect(server.heard).toContain(spelled);
});

test('URLs are opened with the options for tls', async () => {
  let isRead = false;
  const tls = {
    get ca(): string {
      isRead = true;
      return '';
    },
  };
  const sources = ['rediss://127.0.0.1:1'];

  const backend = await openRedlock({ sources, tls, ...one }, createHost());
  await backend.close();

  expect(isRead).toBe(true);
});

test('closing ends the connections to all URLs', async () => {
  await using a = await TinyServer.start();
  await using b = await TinyServer.start();
  await using c = await TinyServer.start();
  const servers = [a, b, c];
  const sources = servers.map(({ url }) => url);
  const backend = await openRedlock({ sources }, createHost());
  expect(servers.map(({ connections }) => connections)).toEqual([1, 1, 1]);

  await backend.close();
  await Promise.all(servers.map((server) => server.left()));

  expect(servers.map(({ connections }) => connections)).toEqual([0, 0, 0]);
});

test('what is refused once it is connected is not left connected', async () => {
  await using server = await TinyServer.start('slave');

  const opening = openRedlock({ sources: [server.url], ...one }, createHost());

  await expect(opening).rejects.toThrow(ConfigError);
  await server.left();
  expect(server.connections).toBe(0);
});

test('a refusal is reported once the last reply has arrived and the connections are closed', async () => {
  await using server = await TinyServer.start('stranger');

  const opening = openRedlock({ sources: [server.url], ...one }, createHost());

  await expect(opening).rejects.toThrow(/refused access/);
  expect(server.late).toBe(1);
});

test('where one source cannot be used the others are not left connected', async () => {
  await using a = await TinyServer.start();
  await using b = await TinyServer.start();
  const client = new Redis({ port: 1, lazyConnect: true });
  const sources = [a.url, b.url, { client, shareClient: true }];
  let opened = 0;
  const { runtime, ...host } = createHost();
  const timer = runtime.timer.bind(runtime);
  const ended = new Set<() => void>();
  runtime.timer = (ms, run, options) => {
    opened += 1;
    const cancel = timer(ms, run, options);
    ended.add(cancel);
    return () => {
      ended.delete(cancel);
      cancel();
    };
  };

  await expect(openRedlock({ sources }, { runtime, ...host })).rejects.toThrow(
    /shareClient refused/,
  );

  expect([opened > 0, ended.size, a.connections, b.connections]).toEqual([true, 0, 0, 0]);
});

test.each<[string, object | string, RegExp]>([
  ['a sentinel URL', 'redis+sentinel://a:26379/mymaster', /a master behind sentinels/],
  ['a cluster URL', 'redis-cluster://a:6379', /a cluster/],
  ['our cluster URL', 'rediss+cluster://a:6379,b:6379', /a cluster/],
  [
    'an ioredis client of sentinels',
    new Redis({ sentinels: [{ host: 'a', port: 1 }], name: 'm', lazyConnect: true }),
    /a client of sentinels/,
  ],
  ['an ioredis Cluster', new Cluster([], { lazyConnect: true }), /a client of a cluster/],
  ['a node-redis cluster', createCluster({ rootNodes: [] }), /a client of a cluster/],
  [
    'a node-redis sentinel',
    createSentinel({ name: 'm', sentinelRootNodes: [{ host: 'a', port: 1 }] }),
    /a client of sentinels/,
  ],
])('%s is refused with the reason, and a link to it', async (_, source, what) => {
  for (const given of typeof source === 'string' ? [source] : [source, { client: source }]) {
    const opening = openRedlock({ sources: [given as never], ...one }, createHost());

    await expect(opening).rejects.toThrow(what);
    await expect(opening).rejects.toThrow(
      /a promoted replica lacks the votes.*https:\/\/redis\.io\/.*#why-failover/,
    );
    await expect(opening).rejects.toThrow(ConfigError);
  }
});
