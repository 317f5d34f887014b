import { migration } from '@holdfast/postgres';
import { BackendUnavailableError, isLockError, openLocks } from 'holdfast';
import { afterEach, expect, test } from 'vitest';
import {
  freePort,
  PostgresServer,
  RedisServer,
  ZooKeeperServer,
} from '../../../../harness/test/kit/real-servers.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Start = () => Promise<{ readonly url: string; close(): Promise<void> }>;

async function three(): ReturnType<Start> {
  const servers = await Promise.all([1, 2, 3].map(() => RedisServer.start()));
  return {
    url: `redlock://${servers.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

async function withTables(): Promise<PostgresServer> {
  const server = await PostgresServer.start();
  await server.sql(migration());
  return server;
}

const STORES: readonly (readonly [scheme: string, addresses: number, start: Start])[] = [
  ['redis', 1, () => RedisServer.start()],
  ['redlock', 3, three],
  ['zk', 1, () => ZooKeeperServer.start()],
  ['postgres', 1, withTables],
];

test.for(STORES)(
  'a %s store that is down can be opened, and fails to be with connect=eager',
  async ([scheme, addresses]) => {
    const ports = await Promise.all(Array.from({ length: addresses }, () => freePort()));
    const url = `${scheme}://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;

    const locks = await openLocks(url);
    closing.push(() => locks.close({ timeoutMs: 0 }));
    const acquired: unknown = await locks
      .acquire('k', { waitMs: 0 })
      .catch((error: unknown) => error);
    const eager: unknown = await openLocks(`${url}?connect=eager`).catch((error: unknown) => error);

    expect(isLockError(acquired, 'BACKEND_UNAVAILABLE')).toBe(true);
    expect(eager).toBeInstanceOf(BackendUnavailableError);
    expect(String(eager)).toContain(`127.0.0.1:${ports[0]}`);
  },
);

test.for(STORES)('one of %s that serves is opened with connect=eager', async ([, , start]) => {
  const store = await start();
  closing.push(() => store.close());

  await using locks = await openLocks(`${store.url}?connect=eager`);

  expect(await locks.health()).toMatchObject({ ok: true });
});

test('memory serves always', async () => {
  await using locks = await openLocks('memory:?connect=eager');

  expect(locks.backend).toBe('memory');
});
