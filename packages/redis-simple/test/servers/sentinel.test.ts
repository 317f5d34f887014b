import type { Backend } from '@holdfast/core/backend';
import { Redis } from 'ioredis';
import { createSentinel } from 'redis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SentinelDeployment } from '../../../../harness/test/kit/real-servers.ts';
import { attempt, contend, lockOf, take, until, won } from '../../../../test/support/contending.ts';
import { type Opening, Openings, type Waiter } from './support/openings.ts';

/** Calls may take a tenth of it. */
const TTL_MS = 8_000;
const PASSWORD = 'of-the-data';
const SENTINEL_PASSWORD = 'of-the-sentinels';

let redis: SentinelDeployment;
let openings: Openings;
beforeAll(async () => {
  redis = await SentinelDeployment.start({
    password: PASSWORD,
    sentinelPassword: SENTINEL_PASSWORD,
  });
});
afterAll(() => redis.close());
afterEach(() => openings.close());

const url = (): string => `redis+sentinel://:${PASSWORD}@${redis.hosts}/${redis.name}`;
const addresses = (): { host: string; port: number }[] =>
  redis.sentinels.map(({ port }) => ({ host: '127.0.0.1', port }));

/** Every way to name the sentinels, with the passwords of both kinds. */
const WAYS: readonly (readonly [string, () => Opening])[] = [
  ...(['ioredis', 'redis'] as const).map(
    (library) =>
      [
        `by a URL, through ${library}`,
        (): Opening => ({ source: url(), library, sentinelPassword: SENTINEL_PASSWORD }),
      ] as const,
  ),
  [
    'by a client of ioredis',
    () => ({
      source: new Redis({
        sentinels: addresses(),
        name: redis.name,
        password: PASSWORD,
        sentinelPassword: SENTINEL_PASSWORD,
        lazyConnect: true,
      }),
    }),
  ],
  [
    'by a client of node-redis',
    () => ({
      source: createSentinel({
        name: redis.name,
        sentinelRootNodes: addresses(),
        nodeClientOptions: { password: PASSWORD },
        sentinelClientOptions: { password: SENTINEL_PASSWORD },
      }),
    }),
  ],
];

async function stored(key: string): Promise<string> {
  return await redis.command(await redis.master(), 'GET', lockOf(key));
}

async function start(opening: () => Opening): Promise<Backend> {
  openings = new Openings();
  return await openings.open(opening());
}

test.each(WAYS)('%s locks go to the master', async (_, opening) => {
  const backend = await start(opening);

  const grant = await take(backend, 'where');

  expect(openings.events).toEqual([]);
  expect(await stored('where')).toContain(grant.owner);
  expect(await grant.release()).toEqual({ kind: 'released' });
});

test.each(WAYS)(
  '%s a holder and a waiter survive the death of the master, and the waiter is woken by the release',
  async (_, opening) => {
    const backend = await start(opening);
    const key = `held-${Math.random()}`;
    const grant = await take(backend, key);
    const waiter = contend(backend, key) as Waiter;
    expect((await attempt(waiter)).kind).toBe('busy');
    const old = await redis.master();
    await openings.replicated(redis, key, grant.owner);
    old.kill();
    const master = await redis.moved(old);
    await until(async () => (await grant.renew(30_000)).kind === 'renewed');

    await openings.listens(waiter, redis, master);
    // It sees the changes so far.
    expect((await attempt(waiter)).kind).toBe('busy');
    const waking = waiter.changed(AbortSignal.timeout(20_000));
    expect(await grant.release()).toEqual({ kind: 'released' });
    await waking;
    const next = await won(waiter);

    expect(next.fencingToken).toBeGreaterThan(grant.fencingToken);
    expect(await redis.command(master, 'GET', lockOf(key))).toContain(next.owner);
    await next.release();
    await redis.recover();
  },
);

test.each(WAYS.slice(0, 2))(
  '%s a request in the buffer of an old master that is paused takes nothing from the new one',
  async (_, opening) => {
    const backend = await start(opening);
    const key = `paused-${Math.random()}`;
    const contender = contend(backend, key, TTL_MS);
    await (await take(backend, 'warm')).release();
    const old = await redis.master();
    old.stop();

    const first = await attempt(contender);
    expect(first.kind).toBe('unknown');
    const master = await redis.moved(old);
    const grant = await won(contender);
    old.resume();
    // It executes what it has received: a connection that comes later is served later.
    await redis.command(old, 'PING');

    expect(await redis.command(master, 'GET', lockOf(key))).toContain(grant.owner);
    expect((await attempt(contend(backend, key))).kind).toBe('busy');
    expect(await grant.release()).toEqual({ kind: 'released' });
    await redis.recover();
    expect(await redis.command(old, 'GET', lockOf(key))).toBe('$-1\r\n');
  },
);

test('a planned failover moves the clients, though the old master still takes writes', async () => {
  const backend = await start(WAYS[0]?.[1] ?? (() => ({})));
  await (await take(backend, 'before')).release();
  const old = await redis.master();

  const master = await redis.failover();
  await until(async () => {
    const grant = await take(backend, 'after');
    const isThere = (await redis.command(master, 'GET', lockOf('after'))).includes(grant.owner);
    await grant.release();
    return isThere;
  });

  expect(await redis.command(old, 'ROLE')).toContain('master');
  await redis.recover();
});
