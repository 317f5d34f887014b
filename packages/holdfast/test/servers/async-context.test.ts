import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { migration } from '@holdfast/postgres';
import { openLocks } from 'holdfast';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  EtcdServer,
  PostgresServer,
  RedisServer,
  ZooKeeperServer,
} from '../../../../harness/test/kit/real-servers.ts';

/** What callers share, and what outlives a call: of each there is one for many callers. */
const SHARED = new Set(['TCPWRAP', 'Timeout', 'HTTP2SESSION']);

let redis: RedisServer;
let zooKeeper: ZooKeeperServer;
let postgres: PostgresServer;
let etcd: EtcdServer;

beforeAll(async () => {
  [redis, zooKeeper, postgres, etcd] = await Promise.all([
    RedisServer.start(),
    ZooKeeperServer.start(),
    PostgresServer.start(),
    EtcdServer.start(),
  ]);
  await postgres.sql(migration());
});
afterAll(() => Promise.all([redis, zooKeeper, postgres, etcd].map((server) => server.close())));

test.each<[string, () => string]>([
  ['redis-simple', () => redis.url],
  ['zk', () => zooKeeper.url],
  ['postgres', () => postgres.url],
  ['etcd', () => etcd.url],
  ['memory', () => 'memory:'],
])('no timer and no socket of %s keeps the async context of a caller', async (_, url) => {
  const request = new AsyncLocalStorage<string>();
  const kept: string[] = [];
  const hook = createHook({
    init(_id, type) {
      const context = request.getStore();
      if (context !== undefined && SHARED.has(type)) kept.push(`${type} of ${context}`);
    },
  });
  hook.enable();
  onTestFinished(() => void hook.disable());
  const locks = await request.run('the opener', () => openLocks(url()));

  const first = await request.run('the first caller', () => locks.acquire('a'));
  const second = request.run('the second caller', () =>
    locks.use('a', () => request.getStore(), { waitMs: 10_000 }),
  );
  await request.run('the first caller', () => first.release());

  expect(await second).toBe('the second caller');
  await locks.close();
  expect(kept).toEqual([]);
});
