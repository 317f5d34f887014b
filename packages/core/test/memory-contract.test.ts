import { createHost, createLocks, openMemory, parseOwner } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';

describe('the store', () => {
  test('grants a free key, with a token that grows with every grant of any owner', () => {
    const { store } = new Bench();

    const first = store.acquire('k', 'a:1:', 1_000);
    store.release('k', 'a:1:');
    const second = store.acquire('k', 'b:1:', 1_000);

    expect([first, second]).toEqual([
      { kind: 'granted', token: 1n },
      { kind: 'granted', token: 2n },
    ]);
  });

  test('grants a key held by an earlier attempt to that contender, and to no other', () => {
    const { store } = new Bench();

    store.acquire('k', 'a:1:', 1_000);
    expect(store.acquire('k', 'b:2:', 1_000)).toEqual({ kind: 'busy', holderRemainingMs: 1_000 });
    expect(store.acquire('k', 'a:1:', 1_000).kind).toBe('busy');
    expect(store.acquire('k', 'a:2:', 1_000)).toEqual({ kind: 'granted', token: 2n });
    expect(store.acquire('k', 'a:1:', 1_000).kind).toBe('busy');
  });

  test('releases and renews the hold of exactly that owner', () => {
    const { store } = new Bench();
    store.acquire('k', 'a:2:', 1_000);

    expect(store.release('k', 'a:1:')).toBe(false);
    expect(store.renew('k', 'a:1:', 5_000)).toBe(false);
    expect(store.renew('k', 'a:2:', 5_000)).toBe(true);
    expect(store.inspect('k')?.remainingMs).toBe(5_000);
    expect(store.renew('k', 'a:2:', 100)).toBe(true);
    expect(store.inspect('k')?.remainingMs).toBe(5_000);
    expect(store.release('k', 'a:2:')).toBe(true);
    expect(store.release('k', 'a:2:')).toBe(false);
  });

  test('frees a key when its ttl is over; its old owner then holds nothing, and re-creates nothing', async () => {
    const { store, world } = new Bench();
    store.acquire('k', 'a:1:', 1_000);

    await world.advance(1_000);

    expect(store.inspect('k')).toBeUndefined();
    expect(store.renew('k', 'a:1:', 1_000)).toBe(false);
    expect(store.inspect('k')).toBeUndefined();
    expect(store.acquire('k', 'b:1:', 1_000).kind).toBe('granted');
    expect(store.release('k', 'a:1:')).toBe(false);
    expect(store.inspect('k')?.owner).toBe('b:1:');
  });

  test('notifies listeners when a hold is released or removed, and not after their removal', () => {
    const { store } = new Bench();
    let calls = 0;
    const off = store.subscribe('k', () => calls++);

    store.acquire('k', 'a:1:', 1_000);
    expect(calls).toBe(0);
    store.release('k', 'a:1:');
    expect(calls).toBe(1);
    store.acquire('k', 'a:2:', 1_000);
    store.force('k');
    expect(calls).toBe(2);
    off();
    store.force('k');
    expect(calls).toBe(2);
  });
});

describe('a process that locks through it', () => {
  test('is woken when the key is released, and does not poll', async () => {
    const bench = new Bench();
    const a = await bench.open('a', {}, 5);
    const b = await bench.open('b', {}, 5);

    await bench.run(async () => {
      const lease = await a.locks.acquire('k', { ttlMs: 60_000, renew: false });
      const waiting = b.locks.acquire('k', { waitMs: 30_000 });
      await a.process.sleep(7_000);
      const releasedMs = bench.world.nowMs;
      await lease.release();
      await waiting;

      expect(bench.world.nowMs - releasedMs).toBe(20);
      expect(bench.reported('acquired').at(-1)).toMatchObject({ attempts: 3 });
    });
  });

  test('takes over when the holder has crashed, after its ttl', async () => {
    const bench = new Bench();
    const a = await bench.open('a', {}, 5);
    const b = await bench.open('b', {}, 5);

    await bench.run(async () => {
      const lease = await a.locks.acquire('k', { ttlMs: 3_000 });
      a.process.crash();
      const next = await b.locks.acquire('k');

      expect(bench.world.nowMs).toBeGreaterThanOrEqual(3_000);
      expect(bench.world.nowMs).toBeLessThan(3_100);
      expect(next.fencingToken).toBeGreaterThan(lease.fencingToken ?? 0n);
    });
  });

  test('has a lease taken over after expiry renewed and released by its new owner alone', async () => {
    const bench = new Bench();
    const a = await bench.open('a', {}, 5);
    const b = await bench.open('b', {}, 5);

    await bench.run(async () => {
      const stale = await a.locks.acquire('k', { ttlMs: 3_000 });
      a.process.pause(10_000);
      const lease = await b.locks.acquire('k', { ttlMs: 3_000 });
      await b.process.sleep(20_000);

      expect(await stale.release()).toEqual({ kind: 'not-held' });
      expect(lease.state).toBe('held');
      expect(await lease.release()).toEqual({ kind: 'released' });
    });
  });

  test('undoes the grant of a late reply, and acquires the key by its next attempt', async () => {
    const bench = new Bench();
    const slow = await bench.open('slow', {}, 300);

    await bench.run(async () => {
      const error = await rejection(slow.locks.acquire('k', { ttlMs: 1_000, waitMs: 2_000 }));
      expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await slow.process.sleep(2_000);

      expect(bench.store.inspect('k')).toBeUndefined();
    });
  });

  test('is named by its label in an inspection of the key', async () => {
    const bench = new Bench();
    const a = await bench.open('a');
    const b = await bench.open('b');

    await bench.run(async () => {
      expect(await b.locks.inspect('k')).toEqual({ key: 'k', held: false });
      const lease = await a.locks.acquire('k', { ttlMs: 3_000 });
      const waiting = b.locks.acquire('k');
      await b.process.sleep(500);

      expect(await b.locks.inspect('k')).toEqual({
        key: 'k',
        held: true,
        owner: lease.owner,
        holder: 'a',
        remainingMs: 2_500,
        fencingToken: 1n,
        waiters: 1,
      });
      await lease.release();
      await waiting;
    });
  });

  test('is counted as waiting only while it waits', async () => {
    const bench = new Bench();
    const a = await bench.open('a');
    const b = await bench.open('b');
    const waiters = (): number | undefined => bench.store.inspect('k')?.waiters;

    await bench.run(async () => {
      await a.locks.acquire('k');
      const waiting = rejection(b.locks.acquire('k', { waitMs: 500 }));
      await b.process.sleep(100);
      expect(waiters()).toBe(1);

      await waiting;
      expect(waiters()).toBe(0);
    });
  });

  test('is not counted as waiting once it has acquired the key', async () => {
    const bench = new Bench();
    const a = await bench.open('a');
    const b = await bench.open('b');

    await bench.run(async () => {
      const lease = await a.locks.acquire('k');
      const waiting = b.locks.acquire('k');
      await b.process.sleep(100);
      await lease.release();
      await waiting;

      expect(bench.store.inspect('k')).toMatchObject({ waiters: 0 });
    });
  });

  test('has its first attempt numbered 1', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');

    await bench.run(async () => {
      const { owner } = await locks.acquire('k');

      expect(parseOwner(owner)).toMatchObject({ n: 1, label: 'a' });
    });
  });

  test('loses a hold that was removed by force, at its next renewal', async () => {
    const bench = new Bench();
    const a = await bench.open('a');
    const b = await bench.open('b');

    await bench.run(async () => {
      const lease = await a.locks.acquire('k', { ttlMs: 3_000 });
      await b.locks.forceRelease('k');
      expect(await b.locks.tryAcquire('k')).not.toBeNull();
      await a.process.sleep(1_001);

      expect(lease.state).toBe('lost');
      expect(bench.reported('lost')).toMatchObject([{ reason: 'renewal' }]);
    });
  });

  test('excludes only processes that share its store, and is healthy', async () => {
    const host = createHost();
    const [one, two] = await Promise.all([openMemory({}, host), openMemory({}, host)]);
    const [a, b] = [createLocks(one, host), createLocks(two, host)];

    expect(await a.tryAcquire('k')).not.toBeNull();
    expect(await a.tryAcquire('k')).toBeNull();
    expect(await b.tryAcquire('k')).not.toBeNull();
    expect(await a.health()).toMatchObject({ ok: true });
    await Promise.all([a.close(), b.close()]);
  });
});
