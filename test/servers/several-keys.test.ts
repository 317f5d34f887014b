import { type Locks, openLocks } from 'holdfast';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer, ZooKeeperServer } from '../../harness/test/kit/real-servers.ts';

const KINDS = ['redis-simple', 'redlock', 'zk'] as const;
const ROUNDS = 12;

let redis: RedisServer[];
let zookeeper: ZooKeeperServer;

beforeAll(async () => {
  [redis, zookeeper] = await Promise.all([
    Promise.all([RedisServer.start(), RedisServer.start(), RedisServer.start()]),
    ZooKeeperServer.start(),
  ]);
});
afterAll(async () => {
  await Promise.all([zookeeper, ...redis].map((server) => server.close()));
});

function urlOf(kind: (typeof KINDS)[number]): string {
  if (kind === 'zk') return `${zookeeper.url}?sessionTimeout=4000`;
  if (kind === 'redlock')
    return `redlock://${redis.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
  return redis[0]?.url ?? '';
}

describe.each(KINDS)('two clients of %s', (kind) => {
  test('take a and b in opposite orders, in turns, and never wait for each other', async () => {
    await using first = await openLocks(urlOf(kind));
    await using second = await openLocks(urlOf(kind));
    let inside = 0;
    const overlaps: string[] = [];
    const rounds = async (locks: Locks, keys: readonly string[]): Promise<void> => {
      for (let round = 0; round < ROUNDS; round++)
        await locks.use(keys, async (lease) => {
          if (++inside > 1) overlaps.push(`round ${round}`);
          await new Promise((resume) => setTimeout(resume, 1));
          lease.assertHeld();
          expect([...lease.fencingTokens.keys()]).toEqual(['a', 'b']);
          inside--;
        });
    };

    await Promise.all([rounds(first, ['a', 'b']), rounds(second, ['b', 'a'])]);

    expect(overlaps).toEqual([]);
    expect(await first.inspect('a')).toMatchObject({ held: false });
    expect(await first.inspect('b')).toMatchObject({ held: false });
  });

  test('hold all or nothing, and keep out whoever wants one of the keys', async () => {
    await using first = await openLocks(urlOf(kind));
    await using second = await openLocks(urlOf(kind));
    await using lease = await first.acquire(['x', 'y']);

    expect(await second.tryAcquire('x')).toBeNull();
    expect(await second.tryAcquire(['w', 'y'])).toBeNull();
    expect(await second.inspect('w')).toMatchObject({ held: false });
    // Long enough for the attempt to have its reply from a busy server.
    await expect(second.acquire(['w', 'y'], { waitMs: 1_000 })).rejects.toMatchObject({
      code: 'LOCK_TIMEOUT',
      key: 'y',
    });
    lease.assertHeld();
    await lease.extend(kind === 'zk' ? 1_000 : 60_000);
    expect(await lease.release()).toEqual({ kind: 'released' });
    await using next = await second.acquire(['w', 'y', 'x']);
    expect(next.keys).toEqual(['w', 'x', 'y']);
  });

  test('lose all if an operator takes one away', async () => {
    await using locks = await openLocks(urlOf(kind));
    const ttl = kind === 'zk' ? {} : { ttlMs: 1_000 };
    const lease = await locks.acquire(['l', 'm'], ttl);
    const { signal } = lease;
    const lost = new Promise((resolve) => signal.addEventListener('abort', resolve));

    await locks.forceRelease('m');
    await lost;

    expect(signal.reason).toMatchObject({ code: 'LOCK_LOST', key: 'm' });
    expect(lease.state).toBe('lost');
    await using next = await locks.acquire(['l', 'm'], { waitMs: 2_000 });
    expect(next.state).toBe('held');
  });
});

test('two clients that take the keys one by one, in opposite orders, do wait for each other', async () => {
  await using first = await openLocks(urlOf('redis-simple'));
  await using second = await openLocks(urlOf('redis-simple'));
  await using a = await first.acquire('by hand a');
  await using b = await second.acquire('by hand b');
  const waits = [
    first.acquire('by hand b', { waitMs: 200 }),
    second.acquire('by hand a', { waitMs: 200 }),
  ];

  for (const outcome of await Promise.allSettled(waits)) expect(outcome.status).toBe('rejected');
  expect([a.state, b.state]).toEqual(['held', 'held']);
});
