import { LockError, type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openRedlock } from '@holdfast/redlock';
import { Verrou } from '@verrou/core';
import { redisStore } from '@verrou/core/drivers/redis';
import { Redis } from 'ioredis';
import { Mutex, RedlockMutex } from 'redis-semaphore';
import Redlock4 from 'redlock-4';
import Redlock5 from 'redlock-5';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Proxy, RedisServer } from '../../harness/test/kit/real-servers.ts';
import { NeighbourProcess, redisPy } from './support/neighbour-process.ts';

const TTL_MS = 1_000;
const LONG_MS = 20_000;

let server: RedisServer;
let client: Redis;
beforeAll(async () => {
  server = await RedisServer.start();
  client = new Redis(server.port);
});
afterAll(async () => {
  client.disconnect();
  await server.close();
});

const open: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function ours(port = server.port): Promise<Locks> {
  const host = createHost({ label: 'ours' });
  const source = `redis://127.0.0.1:${port}`;
  const backend = await openRedisSimple({ source, library: 'resp', layout: 'plain' }, host);
  const locks = createLocks(backend, host, { ttlMs: TTL_MS });
  open.push(() => locks.close({ timeoutMs: 100 }));
  return locks;
}

/** Ours on several servers. */
async function oursOn(ports: readonly number[]): Promise<Locks> {
  const host = createHost({ label: 'ours' });
  const sources = ports.map((port) => `redis://127.0.0.1:${port}`);
  const backend = await openRedlock({ sources, library: 'resp', layout: 'plain' }, host);
  const locks = createLocks(backend, host, { ttlMs: TTL_MS });
  open.push(() => locks.close({ timeoutMs: 100 }));
  return locks;
}
/** One try of a neighbour: a function that releases, undefined if the key is taken. */
type Take = (key: string) => Promise<(() => Promise<unknown>) | undefined>;

const NO_RETRY: Readonly<Record<string, number>> = { retryCount: 0 };

const RETRY = { retryCount: 200, retryDelay: 20, retryJitter: 20 };

/** One try on several servers, and what the library stores for `key`. */
const ON_SEVERAL: readonly (readonly [
  string,
  (key: string) => string,
  (clients: readonly Redis[], key: string, retry?: typeof NO_RETRY) => ReturnType<Take>,
])[] = [
  [
    'redlock 4',
    (key) => key,
    async (clients, key, retry = NO_RETRY) => {
      const lock = await new Redlock4(clients, retry).lock(key, TTL_MS).catch(() => undefined);
      return lock && (() => lock.unlock());
    },
  ],
  [
    'redlock 5',
    (key) => key,
    async (clients, key, retry = NO_RETRY) => {
      const lock = await new Redlock5(clients, retry).acquire([key], TTL_MS).catch(() => undefined);
      return lock && (() => lock.release());
    },
  ],
  [
    'redis-semaphore RedlockMutex',
    (key) => `mutex:${key}`,
    async (clients, key, retry = NO_RETRY) => {
      const limits = { lockTimeout: TTL_MS, refreshInterval: 0, retryInterval: 20 };
      const tries = { acquireAttemptsLimit: 1 + (retry['retryCount'] ?? 0) };
      const mutex = new RedlockMutex([...clients], key, { ...limits, ...tries });
      return (await mutex.tryAcquire()) ? () => mutex.release() : undefined;
    },
  ],
];

/** The key is what the library stores for `key`. */
const LIBRARIES: readonly (readonly [string, (key: string) => string, Take])[] = [
  [
    'redlock 4',
    (key) => key,
    async (key) => {
      const lock = await new Redlock4([client], NO_RETRY).lock(key, TTL_MS).catch(() => undefined);
      return lock && (() => lock.unlock());
    },
  ],
  [
    'redlock 5',
    (key) => key,
    async (key) => {
      const lock = await new Redlock5([client], NO_RETRY)
        .acquire([key], TTL_MS)
        .catch(() => undefined);
      return lock && (() => lock.release());
    },
  ],
  [
    'redis-semaphore',
    (key) => `mutex:${key}`,
    async (key) => {
      const mutex = new Mutex(client, key, { lockTimeout: TTL_MS, refreshInterval: 0 });
      return (await mutex.tryAcquire()) ? () => mutex.release() : undefined;
    },
  ],
  [
    'Verrou',
    (key) => key,
    async (key) => {
      const stores = { redis: { driver: redisStore({ connection: client }) } };
      const lock = new Verrou({ default: 'redis', stores }).createLock(key, TTL_MS);
      return (await lock.acquireImmediately()) ? () => lock.release() : undefined;
    },
  ],
];

describe.each(LIBRARIES)('%s', (name, storedAs, take) => {
  const nameOf = (what: string): string => `${name}/${what}`;

  test('and ours exclude each other, whoever came first', async () => {
    const key = nameOf('turns');
    const locks = await ours();
    const giveBack = await take(key);
    expect(await locks.tryAcquire(storedAs(key))).toBeNull();
    await giveBack?.();
    const lease = await locks.acquire(storedAs(key), { waitMs: LONG_MS });

    expect(await take(key)).toBeUndefined();
    await lease.release();

    expect(await take(key)).toBeDefined();
  });

  test('that crashed keeps the key for its ttl, and so do we', async () => {
    const key = nameOf('crash');
    const locks = await ours();
    await take(key);
    const lease = await locks.acquire(storedAs(key), { waitMs: LONG_MS, renew: false });
    const from = Date.now();
    // Neither is released: the servers alone end them.
    while ((await take(key)) === undefined) expect(Date.now() - from).toBeLessThan(LONG_MS);

    expect(lease.state).toBe('lost');
  });

  test('gets the key soon after a reply to us was lost, since our attempt is undone', async () => {
    const key = nameOf('lost');
    const proxy = await Proxy.start(server.port);
    open.push(() => proxy.close());
    const locks = await ours(proxy.port);
    await (await locks.acquire(storedAs('warm'))).release();
    proxy.loseReplies();
    await expect(locks.acquire(storedAs(key), { waitMs: 0 })).rejects.toThrow(LockError);
    proxy.heal({ drop: true });

    let giveBack = await take(key);
    while (giveBack === undefined) giveBack = await take(key);
    expect(await (await ours()).tryAcquire(storedAs(key))).toBeNull();
    await giveBack();
  });
});

describe.each(ON_SEVERAL)('%s on three servers', (name, storedAs, take) => {
  let servers: RedisServer[];
  let clients: Redis[];
  beforeAll(async () => {
    servers = await Promise.all([1, 2, 3].map(() => RedisServer.start()));
    clients = servers.map(({ port }) => new Redis(port));
  });
  afterAll(async () => {
    for (const each of clients) each.disconnect();
    await Promise.all(servers.map((each) => each.close()));
  });

  const portsOf = (): readonly number[] => servers.map(({ port }) => port);

  test('and ours exclude each other, whoever came first', async () => {
    const locks = await oursOn(portsOf());
    const giveBack = await take(clients, 'turns');
    expect(await locks.tryAcquire(storedAs('turns'))).toBeNull();
    expect(await locks.inspect(storedAs('turns'))).toMatchObject({ held: true });
    await giveBack?.();
    const lease = await locks.acquire(storedAs('turns'), { waitMs: LONG_MS });

    expect(await take(clients, 'turns')).toBeUndefined();
    await lease.release();

    expect(await take(clients, 'turns', RETRY)).toBeDefined();
  });

  test('and ours count to the same sum in turns', async () => {
    const locks = await oursOn(portsOf());
    let inside = 0;
    const enter = async (): Promise<void> => {
      expect(++inside, `two are inside beside ${name}`).toBe(1);
      await new Promise(setImmediate);
      inside -= 1;
    };
    const our = async (): Promise<void> => {
      for (let i = 0; i < 15; i++) await locks.use(storedAs('sum'), enter, { waitMs: LONG_MS });
    };
    const their = async (): Promise<void> => {
      for (let i = 0; i < 15; i++) {
        let giveBack = await take(clients, 'sum', RETRY);
        while (giveBack === undefined) giveBack = await take(clients, 'sum', RETRY);
        await enter();
        await giveBack();
      }
    };

    await Promise.all([our(), their()]);
  });

  test('that crashed keeps the key for its ttl, also while one server is out of reach for us', async () => {
    const proxy = await Proxy.start(servers[0]?.port ?? 0);
    open.push(() => proxy.close());
    const [, second = 0, third = 0] = portsOf();
    const locks = await oursOn([proxy.port, second, third]);
    proxy.cut();
    await take(clients, 'crash');
    // With one server out of reach, it may not learn what that one stores.
    expect(await locks.tryAcquire(storedAs('crash')).catch(() => null)).toBeNull();

    const lease = await locks.acquire(storedAs('crash'), { waitMs: LONG_MS });

    expect(await take(clients, 'crash')).toBeUndefined();
    await lease.release();
  });
});

function python(...options: readonly string[]): NeighbourProcess {
  const command = redisPy(`127.0.0.1:${server.port}`, TTL_MS, options);
  if (command === undefined) throw new Error('it is not installed');
  const theirs = new NeighbourProcess(command);
  open.push(() => theirs.kill());
  return theirs;
}

describe.skipIf(redisPy('', TTL_MS) === undefined)('redis-py', () => {
  test('and ours exclude each other; without a ttl its key is waited for, and never removed', async () => {
    const [locks, theirs, endless] = [await ours(), python(), python('--without-timeout')];
    expect(await endless.acquire('py', LONG_MS)).toBe(true);
    expect(await client.pttl('py')).toBe(-1);
    expect(await locks.tryAcquire('py')).toBeNull();
    const waiting = locks.acquire('py', { waitMs: LONG_MS });
    expect(await endless.release('py')).toBe(true);
    const lease = await waiting;

    expect(await theirs.acquire('py', 100)).toBe(false);
    await lease.release();
    expect(await theirs.acquire('py', LONG_MS)).toBe(true);
  });

  test('that crashed keeps the key for its ttl', async () => {
    const [locks, theirs] = [await ours(), python()];
    expect(await theirs.acquire('dead', LONG_MS)).toBe(true);
    theirs.kill();

    await (await locks.acquire('dead', { waitMs: LONG_MS })).release();
  });
});

test('a hash of Redisson in place of a lock refuses, and is left alone', async () => {
  await client.hset('redisson', 'uuid:1', '1');

  await expect((await ours()).tryAcquire('redisson')).rejects.toMatchObject({
    code: 'FOREIGN_KEY',
  });

  expect(await client.hgetall('redisson')).toEqual({ 'uuid:1': '1' });
});

test('the value of a neighbour is not removed by force', async () => {
  await client.set('theirs', 'a1b2c3', 'PX', 5_000);

  await expect((await ours()).forceRelease('theirs')).rejects.toMatchObject({
    code: 'FOREIGN_KEY',
  });

  expect(await client.get('theirs')).toBe('a1b2c3');
});
