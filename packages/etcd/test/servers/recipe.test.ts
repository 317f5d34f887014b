import { LockTimeoutError } from '@holdfast/core';
import { systemRuntime } from '@holdfast/core/backend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EtcdctlLock } from '../../../../harness/test/kit/real-servers.ts';
import { guard } from '../../src/guard.ts';
import { EtcdWorld, until } from './support/etcd-world.ts';

let world: EtcdWorld;
beforeAll(async () => {
  world = await EtcdWorld.start();
});
afterAll(() => world.close());

let keys = 0;
const newKey = (): string => `orders/${(keys += 1)}`;
const endMs = (): number => systemRuntime().now().monotonicMs + 5_000;

describe('a hold', () => {
  test('is a key below the prefix of the lock, with a lease of its own', async () => {
    const key = newKey();
    const { locks } = await world.open('a');
    const lease = await locks.acquire(key);

    const [stored] = await world.queue(key);
    const { key: guarded, createRevision } = guard(lease);
    expect(stored).toBe(guarded);
    expect(createRevision).toBe(lease.fencingToken);
    expect(await world.ctl('get', guarded, '--print-value-only')).toBe(`${lease.owner}\n`);

    await lease.release();
    expect(await world.queue(key)).toEqual([]);
    await until(async () => (await world.leases()) === 0);
  });

  test('is what a transaction of the user’s own can be made to depend on', async () => {
    const key = newKey();
    const { locks } = await world.open('a');
    const lease = await locks.acquire(key);
    const { key: stored, createRevision } = guard(lease);
    const write = (value: string): Promise<string> =>
      world.txn(`c("${stored}") = "${createRevision}"`, `put stock ${value}`);

    expect(await write('7')).toContain('SUCCESS');
    await locks.forceRelease(key);
    expect(await write('6')).toContain('FAILURE');
    expect(await world.ctl('get', 'stock', '--print-value-only')).toBe('7\n');
    expect((await lease.release()).kind).toBe('not-held');
  });

  test('that is extended to another ttl keeps its token and its place', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b')]);
    const lease = await a.locks.acquire(key, { ttlMs: 2_000 });
    const waiting = b.locks.acquire(key, { waitMs: 20_000 });
    await until(async () => (await world.queue(key)).length === 2);

    await lease.extend(8_000);

    expect(lease.remainingMs()).toBeGreaterThan(7_000);
    expect((await b.locks.inspect(key)).fencingToken).toBe(lease.fencingToken);
    await until(async () => (await world.leases()) === 2);
    expect((await lease.release()).kind).toBe('released');
    await (await waiting).release();
  });

  test('is not moved twice by an extension that arrives late', async () => {
    const key = newKey();
    const { backend, client } = await world.open('a');
    const contender = backend.contend({ key, contender: 'c1', ttlMs: 5_000 });
    const attempt = await contender.attempt(endMs());
    if (attempt.kind !== 'granted') throw new Error(attempt.kind);
    const { grant } = attempt;

    client.lose('txn', 'held');
    expect((await grant.renew?.(7_000))?.kind).toBe('unknown');
    expect((await grant.renew?.(7_000))?.kind).toBe('renewed');
    expect((await grant.renew?.(9_000))?.kind).toBe('renewed');
    expect(await client.letThrough()).toBe(1);

    expect((await grant.renew?.(9_000))?.kind).toBe('renewed');
    expect(await grant.release()).toEqual({ kind: 'released' });
    await until(async () => (await world.leases()) === 0);
  });

  test('of a prefix says nothing about a lock below it', async () => {
    const { locks } = await world.open('a');
    const [below, above] = [await locks.acquire('a/b'), await locks.acquire('a')];

    const beside = await locks.tryAcquire('a/');
    expect(beside?.state).toBe('held');
    await Promise.all([below.release(), above.release(), beside?.release()]);
  });
});

describe('a lost reply', () => {
  test('to a creation makes no second key: the next attempt finds the first one', async () => {
    const key = newKey();
    const { backend, client } = await world.open('a');
    const contender = backend.contend({ key, contender: 'c2', ttlMs: 5_000 });
    client.lose('txn');

    expect((await contender.attempt(endMs())).kind).toBe('unknown');
    const second = await contender.attempt(endMs());

    expect(second.kind).toBe('granted');
    expect(client.requests.filter((kind) => kind === 'grant')).toHaveLength(1);
    expect(await world.queue(key)).toHaveLength(1);
    if (second.kind === 'granted') await second.grant.release();
  });

  test('to a creation leaves nothing behind a withdrawal, however late the creation arrives', async () => {
    const key = newKey();
    const { backend, client } = await world.open('a');
    const contender = backend.contend({ key, contender: 'c3', ttlMs: 5_000 });
    client.lose('txn', 'held');

    expect((await contender.attempt(endMs())).kind).toBe('unknown');
    expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    expect(await client.letThrough()).toBe(0);

    expect(await world.queue(key)).toEqual([]);
  });

  test('to a release is repeated in the background', async () => {
    const key = newKey();
    const { locks, client } = await world.open('a');
    const lease = await locks.acquire(key);
    client.lose('txn', 'held');

    expect((await lease.release()).kind).toBe('unknown');
    await until(async () => (await world.queue(key)).length === 0);
    await until(async () => (await world.leases()) === 0);
  });

  test('to a renewal proves nothing', async () => {
    const { backend, client } = await world.open('a');
    const contender = backend.contend({ key: newKey(), contender: 'c4', ttlMs: 5_000 });
    const attempt = await contender.attempt(endMs());
    if (attempt.kind !== 'granted') throw new Error(attempt.kind);

    client.lose('range');
    expect((await attempt.grant.renew?.(5_000))?.kind).toBe('unknown');
    expect((await attempt.grant.renew?.(5_000))?.kind).toBe('renewed');
    await attempt.grant.release();
  });
});

describe('a waiter', () => {
  test('wakes when its connection breaks, long before its next renewal', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b', 120_000)]);
    const lease = await a.locks.acquire(key);
    const waiting = b.locks.acquire(key, { waitMs: 600_000 });
    await until(() => b.client.watches === 1);

    b.proxy.cut();
    await lease.release();
    b.proxy.heal({ drop: true });

    const second = await waiting;
    expect(b.client.requests).not.toContain('keepAlive');
    await second.release();
  });

  test('wakes if the history that its watch needs was compacted', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b')]);
    const lease = await a.locks.acquire(key);
    const contender = b.backend.contend({ key, contender: 'c5', ttlMs: 120_000 });
    expect((await contender.attempt(endMs())).kind).toBe('busy');

    await lease.release();
    await world.ctl('put', 'other', 'x');
    await world.ctl('compact', await world.revision());

    // The watch that begins now starts at a revision that is gone.
    await contender.changed?.(new AbortController().signal);
    let attempt = await contender.attempt(endMs());
    if (attempt.kind === 'busy') {
      await contender.changed?.(new AbortController().signal);
      attempt = await contender.attempt(endMs());
    }
    expect(attempt.kind).toBe('granted');
    expect(b.client.requests).not.toContain('keepAlive');
    if (attempt.kind === 'granted') await attempt.grant.release();
  });

  test('that timed out leaves nothing in the queue', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b')]);
    const lease = await a.locks.acquire(key);

    await expect(b.locks.acquire(key, { waitMs: 100 })).rejects.toThrow(LockTimeoutError);

    await until(async () => (await world.queue(key)).length === 1);
    await lease.release();
  });

  test('keeps its place for longer than its ttl', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a', 2_000), world.open('b', 2_000)]);
    const lease = await a.locks.acquire(key);
    const waiting = b.locks.acquire(key, { waitMs: 20_000 });
    await until(async () => (await world.queue(key)).length === 2);
    const before = await world.queue(key);

    const beats = (): number => b.client.requests.filter((kind) => kind === 'keepAlive').length;
    await until(() => beats() >= 4);

    expect(await world.queue(key)).toEqual(before);
    await lease.release();
    await (await waiting).release();
  });

  test('whose lease was revoked by hand queues again, while the holder still holds', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b', 2_000)]);
    const lease = await a.locks.acquire(key);
    const waiting = b.locks.acquire(key, { waitMs: 60_000 });
    await until(async () => (await world.queue(key)).length === 2);
    const before = await world.queue(key);
    const stored = before.find((each) => each !== guard(lease).key) ?? '';

    const fields = await world.ctl('get', stored, '-w', 'fields');
    const id = BigInt(/"Lease" : (\d+)/.exec(fields)?.[1] ?? 0).toString(16);
    await world.ctl('lease', 'revoke', id);

    await until(async () => (await world.queue(key)).length === 2);
    expect(await world.queue(key)).not.toEqual(before);
    await lease.release();
    await (await waiting).release();
  });

  test('is one of three hundred, who come all at once and hold one after the other', async () => {
    const key = newKey();
    const { locks } = await world.open('a', 30_000);
    let held = 0;
    const most: number[] = [];
    const tokens: (bigint | undefined)[] = [];
    const hold = (): Promise<void> =>
      locks.use(
        key,
        async ({ fencingToken }) => {
          most.push((held += 1));
          tokens.push(fencingToken);
          await Promise.resolve();
          held -= 1;
        },
        { waitMs: 60_000 },
      );

    await Promise.all(Array.from({ length: 300 }, hold));

    expect(Math.max(...most)).toBe(1);
    expect(tokens).toEqual(tokens.toSorted((a = 0n, b = 0n) => (a < b ? -1 : 1)));
  });
});

describe('etcdctl lock', () => {
  test('waits for a holder of this library, and the other way round', async () => {
    const key = newKey();
    const { locks } = await world.open('a');
    const name = `holdfast/v1/locks/${encodeURIComponent(key)}`;
    const lease = await locks.acquire(key);
    const theirs = new EtcdctlLock(world.server.address, name, 5);
    await until(async () => (await world.queue(key)).length === 2);
    const ours = locks.acquire(key, { waitMs: 20_000 });
    await until(async () => (await world.queue(key)).length === 3);

    await lease.release();
    const stored = await theirs.held;
    expect(await world.queue(key)).toContain(stored);
    expect(await locks.inspect(key)).toMatchObject({ held: true, owner: '', waiters: 1 });

    await theirs.release();
    await (await ours).release();
  });
});

describe('opening', () => {
  test('warns of a server whose deposed leader can revoke leases', async () => {
    const { events } = await world.open('a');
    const version = (await world.ctl('version')).includes('3.4.23');

    if (!version) return;
    expect(events).toContainEqual(expect.objectContaining({ type: 'warning', code: 'old-server' }));
  });

  test('a ttl below a second is granted as one, with a warning', async () => {
    const { locks, events } = await world.open('a');
    const lease = await locks.acquire(newKey(), { ttlMs: 200 });

    expect(lease.remainingMs()).toBeGreaterThan(500);
    expect(events).toContainEqual(expect.objectContaining({ code: 'longer-ttl' }));
    await lease.release();
  });
});
