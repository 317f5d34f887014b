import { type Backend, type Host, systemRuntime } from '@holdfast/core/backend';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ReplicatedRedis } from '../../../../harness/test/kit/replicated-redis.ts';
import { attempt, contend, lockOf, take } from '../../../../test/support/contending.ts';
import { openRedisSimple, type RedisSimpleOptions } from '../../src/index.ts';

/** Its calls may take 2 s, of which they wait 1 s for replicas: a busy machine has a second for all else. */
const TTL_MS = 20_000;
/** Less than others would take behind a `WAIT` on their connection. */
const NOT_HELD_UP_MS = 600;

let redis: ReplicatedRedis;
let opened: Backend[];
beforeAll(async () => {
  redis = await ReplicatedRedis.start(2);
});
afterAll(() => redis.close());
beforeEach(() => void (opened = []));
afterEach(async () => {
  for (const { server } of redis.members) server.resume();
  await Promise.all(opened.map((backend) => backend.close({ timeoutMs: 500 })));
  await redis.rejoin();
});

async function open(options: RedisSimpleOptions): Promise<Backend> {
  const host: Host = { runtime: systemRuntime(), label: 'box:1', emit: () => undefined };
  const backend = await openRedisSimple({ source: redis.url, ...options }, host);
  opened.push(backend);
  return backend;
}

/** The values of a key at the master and at its replicas. */
async function stored(key: string): Promise<readonly unknown[]> {
  const { master, replicas } = redis;
  return await Promise.all([master, ...replicas].map((each) => each.ask('GET', lockOf(key))));
}

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  test('when a lease is granted, both replicas have it', async () => {
    const backend = await open({ waitReplicas: 2, library });

    const { owner } = await take(backend, `granted/${library}`);

    expect(await stored(`granted/${library}`)).toEqual([owner, owner, owner]);
  });

  test('while one replica is frozen nothing is granted or renewed, nothing is left, and nobody else is held up', async () => {
    const backend = await open({ waitReplicas: 2, library });
    const plain = await open({ library });
    const held = await take(backend, `held/${library}`, TTL_MS);
    redis.replicas[1]?.server.stop();

    const contender = contend(backend, `frozen/${library}`, TTL_MS);
    const [refused, renewed, plainMs] = await Promise.all([
      attempt(contender),
      held.renew(TTL_MS),
      msOf(() => take(plain, `plain/${library}`)),
      msOf(() => backend.inspect?.(`held/${library}`)),
    ]);

    expect(refused).toMatchObject({
      kind: 'unavailable',
      cause: { name: 'NodeNotAcknowledged' },
    });
    expect(renewed).toMatchObject({ kind: 'unknown', cause: { name: 'NodeNotAcknowledged' } });
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    expect(await redis.master.ask('EXISTS', lockOf(`frozen/${library}`))).toBe(0);
    expect(plainMs).toBeLessThan(NOT_HELD_UP_MS);
  });

  test('once it follows again, so does the first attempt', async () => {
    const backend = await open({ waitReplicas: 2, library });
    redis.replicas[1]?.server.stop();
    const contender = contend(backend, `later/${library}`, TTL_MS);
    expect((await attempt(contender)).kind).toBe('unavailable');

    redis.replicas[1]?.server.resume();

    const { owner } = await take(backend, `later/${library}`, TTL_MS);
    expect(await stored(`later/${library}`)).toEqual([owner, owner, owner]);
  });
});

test('beside a shared client the waits have a connection of their own, so that its owner is not held up', async () => {
  const options = { enableOfflineQueue: false, autoResendUnfulfilledCommands: false };
  const client = new Redis(redis.address.port, { ...options, lazyConnect: true });
  await client.connect();
  const backend = await open({ waitReplicas: 2, source: { client, shareClient: true } });
  redis.replicas[1]?.server.stop();

  const contender = contend(backend, 'shared', TTL_MS);
  const [refused, pingMs] = await Promise.all([attempt(contender), msOf(() => client.ping())]);
  await contender.withdraw();
  client.disconnect();

  expect(refused.kind).toBe('unavailable');
  expect(pingMs).toBeLessThan(NOT_HELD_UP_MS);
});

async function msOf(act: () => Promise<unknown> | undefined): Promise<number> {
  const fromMs = performance.now();
  await act();
  return performance.now() - fromMs;
}

/** Attempts with one replica cut off, then promotes that one, and tries again once the others follow it. */
async function promoteTheOneBehind(waitReplicas: number, key: string): Promise<readonly string[]> {
  const backend = await open({ waitReplicas });
  const [behind] = redis.replicas;
  if (behind === undefined) throw new Error('there are two');
  behind.link.cut('down');
  const before = await attempt(contend(backend, key));
  await redis.promote(behind);
  await redis.rejoin();
  await take(backend, `another/${key}`);
  const after = await attempt(contend(backend, key));
  return [before.kind, after.kind];
}

test('with fewer than all, the promoted replica may be one that lacks the lease: two hold the key', async () => {
  expect(await promoteTheOneBehind(1, 'some')).toEqual(['granted', 'granted']);
});

test('with all, what the promoted replica lacks was never granted', async () => {
  expect(await promoteTheOneBehind(2, 'all')).toEqual(['unavailable', 'granted']);
});

test('after a failover nothing is granted until enough replicas follow the new master', async () => {
  const backend = await open({ waitReplicas: 1 });
  const [next] = redis.replicas;
  if (next === undefined) throw new Error('there are two');
  await redis.promote(next);
  const early = contend(backend, 'alone', TTL_MS);
  const kinds = [await attempt(early), await attempt(early), await attempt(early)].map(
    ({ kind }) => kind,
  );
  await early.withdraw();
  expect(kinds).not.toContain('granted');

  await redis.rejoin();

  expect(await take(backend, 'alone', TTL_MS)).toMatchObject({ leaseMs: TTL_MS });
});

test('a user who may not send WAIT is refused on opening', async () => {
  const rights = ['on', '>secret', '~*', '&*', '+@all', '-wait'];
  await redis.master.ask('ACL', 'SETUSER', 'short', ...rights);
  const source = `redis://short:secret@127.0.0.1:${redis.address.port}`;
  const host: Host = { runtime: systemRuntime(), label: 'box:1', emit: () => undefined };

  await expect(openRedisSimple({ source, waitReplicas: 1 }, host)).rejects.toThrow(
    /waitReplicas needs WAIT.*NOPERM/,
  );
});
