import {
  BackendUnavailableError,
  type Lease,
  LockError,
  LockLostError,
  OutcomeUnknownError,
} from '@holdfast/core';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { attempt, contend, LONG_MS, until, won } from '../../../../test/support/contending.ts';
import { type ProxiedNode, ProxiedNodes, voteOf } from './support/proxied-nodes.ts';

const stranger = '0123456789abcdef:1:other:1';

async function start(...args: Parameters<typeof ProxiedNodes.start>): Promise<ProxiedNodes> {
  const places = await ProxiedNodes.start(...args);
  onTestFinished(() => places.close());
  return places;
}

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  let places: ProxiedNodes;
  let down: readonly ProxiedNode[];
  let up: readonly ProxiedNode[];

  beforeEach(async () => {
    places = await ProxiedNodes.start();
    down = places.all.slice(0, 3);
    up = places.all.slice(3);
  });
  afterEach(() => places.close());

  test('a lease is a vote of every node, and nothing is left when it is released', async () => {
    const locks = await places.locks({ library });
    const lease = await locks.acquire('orders/42');

    await places.untilVotes('orders/42', 5);
    expect(await places.votes('orders/42')).toEqual(
      [1, 2, 3, 4, 5].map((place) =>
        expect.stringMatching(new RegExp(`^[0-9a-f]{32}\\.${place}:1:box:1$`)),
      ),
    );
    expect(lease.fencingToken).toBeUndefined();
    expect(await lease.release()).toEqual({ kind: 'released' });

    await places.untilVotes('orders/42', 0);
  });

  test('with two of five nodes paused it acquires, renews and releases', async () => {
    const backend = await places.open({ library });
    for (const { server } of places.all.slice(0, 2)) server.stop();

    const grant = await won(contend(backend, 'two', LONG_MS));

    expect((await grant.renew(LONG_MS)).kind).toBe('renewed');
    expect(await grant.release()).toEqual({ kind: 'released' });
    for (const { server } of places.all) server.resume();
    await places.untilVotes('two', 0);
  });

  test('with three of five nodes dead it says so, and nothing is locked once they are back', async () => {
    const locks = await places.locks({ library });
    for (const { server } of down) server.kill();
    await until(async () => (await locks.health()).nodes.filter(({ ok }) => !ok).length === 3);

    await expect(locks.acquire('dead', { waitMs: 1_000 })).rejects.toThrow(BackendUnavailableError);

    await Promise.all(down.map(({ server }) => server.restart()));
    await places.untilVotes('dead', 0);
    expect((await locks.acquire('dead')).state).toBe('held');
  });

  test('with three of five paused the outcome is unknown, and nothing is locked once they resume', async () => {
    const locks = await places.locks({ library });
    for (const { server } of down) server.stop();

    const refused = locks.acquire('still', { waitMs: 1_000 });

    await expect(refused).rejects.toThrow(OutcomeUnknownError);
    for (const { server } of down) server.resume();
    await places.untilVotes('still', 0);
  });

  test('a rolling restart of three of five nodes without their data ends no lease and lets no other client in', async () => {
    const backend = await places.open({ library });
    const other = await places.open({ library: 'ioredis' });
    const grant = await won(contend(backend, 'rolling', LONG_MS));
    await places.untilVotes('rolling', 5);

    for (const { server, raw } of down) {
      server.kill();
      await server.restart();
      await until(async () => {
        expect((await attempt(contend(other, 'rolling'))).kind).not.toBe('granted');
        expect((await grant.renew(LONG_MS)).kind).not.toBe('lost');
        const vote = (await raw.get(voteOf('rolling'))) ?? '';
        return vote.startsWith(`${grant.owner.split(':')[0]}.`);
      });
    }
    for (const { raw } of up) await raw.flushall();

    // The healed votes carry the lease by themselves.
    await until(async () => (await grant.renew(LONG_MS)).kind === 'renewed');
    expect((await attempt(contend(other, 'rolling'))).kind).toBe('busy');
    expect(await grant.release()).toEqual({ kind: 'released' });
  });

  test('a vote whose reply was lost is released, long before the ttl', async () => {
    const backend = await places.open({ library });
    await (await won(contend(backend, 'warm'))).release();
    for (const { proxy } of down) proxy.cut('down');
    const contender = contend(backend, 'lost', LONG_MS);

    const outcome = await contender.attempt(performance.now() + 300);

    expect(outcome.kind).toBe('unknown');
    await places.untilVotes('lost', 0);
    for (const { proxy } of down) proxy.heal();
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    expect((await attempt(contend(backend, 'lost'))).kind).toBe('granted');
  });

  test('replies slower than the ttl never yield a lease, and leave nothing', async () => {
    const locks = await places.locks({ library });
    for (const { proxy } of places.all) proxy.delay({ down: 800 });

    const refused = locks.acquire('slow', { ttlMs: 400, waitMs: 2_000 });

    await expect(refused).rejects.toThrow(LockError);
    expect(places.events.filter(({ type }) => type === 'acquired')).toEqual([]);
    for (const { proxy } of places.all) proxy.heal();
    await places.untilVotes('slow', 0);
  });

  test('a slow node delays no client, and is reported', async () => {
    const backend = await places.open({ library });
    await (await won(contend(backend, 'warm'))).release();
    const [{ proxy }] = places.all as [ProxiedNode];
    proxy.delay({ down: 300 });

    await until(async () => {
      const grant = await won(contend(backend, 'slow node', LONG_MS));
      expect(await grant.release()).toEqual({ kind: 'released' });
      return places.reported('slow').includes(`127.0.0.1:${proxy.port}`);
    });

    proxy.heal();
    await places.untilVotes('slow node', 0);
  });

  test('a waiter is woken by the release of one node, over the wire', async () => {
    const holder = await won(contend(await places.open({ library }), 'woken', LONG_MS));
    const waiter = contend(await places.open({ library }), 'woken', LONG_MS);
    const { signal } = new AbortController();
    expect((await attempt(waiter)).kind).toBe('busy');
    await waiter.changed?.(signal);
    expect((await attempt(waiter)).kind).toBe('busy');
    const woken = waiter.changed?.(signal);

    await holder.release();

    await woken;
    await until(async () => (await attempt(waiter)).kind === 'granted');
  });

  test('a late undo takes away no vote that a renewal already counts', async () => {
    const backend = await places.open({ library });
    await (await won(contend(backend, 'warm'))).release();
    const [first, second] = places.all as [ProxiedNode, ProxiedNode];
    // Their attempts, and the undos behind them, stay on connections that are given up meanwhile.
    for (const { proxy } of [first, second]) proxy.cut('up', 'open');
    const grant = await won(contend(backend, 'undo', 3_000));
    await until(async () => places.reported('unknown, undo ordered').length >= 2);
    for (const { proxy } of [first, second]) proxy.reset('client');
    const votes = async (): Promise<(string | null)[]> => (await places.votes('undo')).slice(0, 2);
    await until(async () => {
      expect((await grant.renew(3_000)).kind).not.toBe('lost');
      return !(await votes()).includes(null);
    });
    const healed = await votes();
    for (const vote of healed) expect(vote).toMatch(/\.[12]:2:box:1$/);

    for (const { proxy } of [first, second]) proxy.heal();
    for (const { raw } of [first, second]) await raw.ping();
    await until(async () => first.proxy.heldBytes + second.proxy.heldBytes === 0);

    expect(await votes()).toEqual(healed);
    expect((await grant.renew(LONG_MS)).kind).toBe('renewed');
    for (const { raw } of places.all.slice(2, 4)) await raw.flushall();
    expect((await grant.renew(LONG_MS)).kind).toBe('renewed');
    expect((await attempt(contend(backend, 'undo'))).kind).toBe('busy');
  });

  test('the theft of a majority is noticed at the next renewal, and masks no error of the body', async () => {
    const locks = await places.locks({ library });
    const own = new Error('the body’s own');
    let lease: Lease | undefined;

    const used = locks.use(
      'stolen',
      async (held) => {
        lease = held;
        await places.give(down, 'stolen', stranger, LONG_MS);
        await new Promise((done) => held.signal.addEventListener('abort', done, { once: true }));
        throw own;
      },
      { ttlMs: 1_000 },
    );

    await expect(used).rejects.toBe(own);
    expect(lease?.signal.reason).toBeInstanceOf(LockLostError);
    expect(places.events).toContainEqual(
      expect.objectContaining({ type: 'lost', key: 'stolen', reason: 'renewal' }),
    );
    expect((await places.votes('stolen')).slice(0, 3)).toEqual([stranger, stranger, stranger]);
  });

  test('the death of a majority is reported when the lease is over', async () => {
    const locks = await places.locks({ library });
    const lease = await locks.acquire('dying', { ttlMs: 1_000 });
    for (const { server } of down) server.kill();

    await new Promise((done) => lease.signal.addEventListener('abort', done, { once: true }));

    expect(lease.state).toBe('lost');
    expect(places.events).toContainEqual(
      expect.objectContaining({ type: 'lost', key: 'dying', reason: 'deadline' }),
    );
  });
});

test('a node that is busy and one that is dead are won over when the hold runs out, not at the next poll', async () => {
  const places = await start(3);
  const [, busy, dead] = places.all as [ProxiedNode, ProxiedNode, ProxiedNode];
  const locks = await places.locks();
  await places.give([busy], 'k', stranger, 300);
  // Outlives the hold by less than a waiter that only polls would.
  await busy.raw.set('marker', 'stands', 'PX', 1_900);
  dead.server.kill();

  await locks.acquire('k', { waitMs: 10_000 });

  expect(await busy.raw.get('marker')).toBe('stands');
  expect(places.events.map(({ type }) => type)).toContain('contended');
});

test('many contenders of several processes hold a key one after the other', async () => {
  const places = await start();
  const all = await Promise.all(
    (['ioredis', 'redis', 'ioredis'] as const).map((library) => places.locks({ library })),
  );
  let holders = 0;
  let turns = 0;
  const once = async (locks: (typeof all)[number]): Promise<void> =>
    await locks.use(
      'shared',
      async () => {
        holders++;
        turns++;
        expect(holders).toBe(1);
        await new Promise((on) => setTimeout(on, 1));
        holders--;
      },
      { waitMs: 25_000 },
    );

  await Promise.all(
    Array.from({ length: 30 }, (_, at) => once(all[at % 3] as (typeof all)[number])),
  );

  expect(turns).toBe(30);
  await places.untilVotes('shared', 0);
});
