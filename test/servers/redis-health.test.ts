import { openLocks } from 'holdfast';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { RedisServer } from '../../harness/test/kit/real-servers.ts';
import { until } from '../support/contending.ts';

const RELEASE = "redis.call('DEL', KEYS[1]) return redis.call('PUBLISH', ARGV[1], 'free')";

const toClose: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of toClose.splice(0).toReversed()) await close();
});

async function start(): Promise<RedisServer> {
  const server = await RedisServer.start();
  toClose.push(() => server.close());
  return server;
}

/** As a failover does with a master that comes back. */
async function demote(server: RedisServer, master: RedisServer): Promise<void> {
  const raw = new Redis(server.port);
  toClose.push(() => raw.disconnect());
  await raw.replicaof('127.0.0.1', master.port);
}

test('a master that was made a replica is unhealthy, although it replies', async () => {
  const [server, other] = [await start(), await start()];
  const locks = await openLocks(server.url);
  toClose.push(() => locks.close());
  expect(await locks.health()).toMatchObject({ ok: true, nodes: [{ ok: true }] });

  await demote(server, other);

  await until(async () => !(await locks.health()).ok);
  expect((await locks.health()).nodes[0]?.detail).toContain('is a replica');
});

test('a waiter subscribed at a master that was made a replica hears releases at the new one', async () => {
  const [server, other] = [await start(), await start()];
  const [listener, master] = [new Redis(server.port), new Redis(other.port)];
  toClose.push(
    () => listener.disconnect(),
    () => master.disconnect(),
  );
  await master.config('SET', 'repl-diskless-sync-delay', '0');
  await demote(server, other);
  const heard: string[] = [];
  listener.on('message', (_, text: string) => heard.push(text));
  await listener.subscribe('channel');

  // Until the two are in step nothing gets through.
  await until(async () => {
    await master.eval(RELEASE, 1, 'k', 'channel');
    return heard.length > 0;
  });

  expect(heard[0]).toBe('free');
});

test('redlock is healthy with a majority of masters, not of servers that reply', async () => {
  const servers = [await start(), await start(), await start()] as const;
  const [a, b, c] = servers;
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const locks = await openLocks(`redlock://${hosts}`);
  toClose.push(() => locks.close());

  await demote(a, c);
  await until(async () => (await locks.health()).nodes[0]?.ok === false);
  expect((await locks.health()).ok).toBe(true);
  await demote(b, c);

  await until(async () => !(await locks.health()).ok);
});
