import { LockTimeoutError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { busy, Deferred, granted, late, type Plan } from './support/fake-backend.ts';

const RELEASE_MS = 5;
const PLAN: Plan = { passesOn: true, releases: [late(RELEASE_MS, { kind: 'released' })] };

test('a holder releases the key to the next caller of its process, who makes its attempt at once', async () => {
  const bench = new Bench();
  const { locks, backend, process } = bench.fake(PLAN);

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const next = locks.acquire('k');
    await process.sleep(3);
    const released = lease.release();

    expect((await next).state).toBe('held');
    expect(backend.times('attempt')).toEqual([0, 3]);
    expect(backend.times('releaseToNext')).toEqual([3]);
    expect(await released).toEqual({ kind: 'released' });
    expect(bench.reported('released')).toMatchObject([{ outcome: 'released', heldMs: 3 }]);
    expect(backend.times('release')).toEqual([]);
  });
});

test('a holder releases the key for all while no other caller of its process waits', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake(PLAN);

  await bench.run(async () => {
    await (await locks.acquire('k')).release();

    expect(backend.times('release')).toEqual([0]);
    expect(backend.times('releaseToNext')).toEqual([]);
  });
});

test('20 ms after it got the key a process releases it for all, and its next caller contends once that has settled', async () => {
  const bench = new Bench();
  const { locks, backend, process } = bench.fake(PLAN);

  await bench.run(async () => {
    const turns = Array.from({ length: 8 }, () => locks.use('k', () => process.sleep(7)));
    await Promise.all(turns);

    expect(backend.times('releaseToNext')).toEqual([7, 14, 26 + 7, 26 + 14, 52 + 7]);
    expect(backend.times('release')).toEqual([21, 26 + 21, 52 + 14]);
    expect(backend.times('attempt')).toEqual([0, 7, 14, 26, 33, 40, 52, 59]);
  });
});

test('the 20 ms begin anew when a process gets the key from another one', async () => {
  const bench = new Bench();
  const attempts = [granted(), busy({ retryAfterMs: 20 }), granted()];
  const { locks, backend, process } = bench.fake({ ...PLAN, attempts });

  await bench.run(async () => {
    const turns = Array.from({ length: 3 }, () => locks.use('k', () => process.sleep(5)));
    await Promise.all(turns);

    expect(backend.times('attempt')).toEqual([0, 5, 25, 30]);
    expect(backend.times('releaseToNext')).toEqual([5, 30]);
  });
});

test('a process that found the key taken by another one leaves it to others for as long as its release took', async () => {
  const bench = new Bench();
  const attempts = [busy({ retryAfterMs: 10 }), granted()];
  const { locks, backend, process } = bench.fake({ ...PLAN, attempts });

  await bench.run(async () => {
    const turns = Array.from({ length: 2 }, () => locks.use('k', () => process.sleep(30)));
    await Promise.all(turns);

    expect(backend.times('release')).toEqual([40, 40 + 2 * RELEASE_MS + 30]);
    expect(backend.times('attempt')).toEqual([0, 10, 40 + 2 * RELEASE_MS]);
  });
});

test('however long the release took, it leaves the key to others for 20 ms at most', async () => {
  const bench = new Bench();
  const attempts = [busy({ retryAfterMs: 10 }), granted()];
  const releases = [late(900, { kind: 'released' } as const)];
  const { locks, backend, process } = bench.fake({ ...PLAN, attempts, releases });

  await bench.run(async () => {
    const turns = Array.from({ length: 2 }, () => locks.use('k', () => process.sleep(30)));
    await Promise.all(turns);

    expect(backend.times('attempt')).toEqual([0, 10, 40 + 900 + 20]);
  });
});

test('callers who give up while the key is left to others leave nothing behind, and the next one contends at once', async () => {
  const bench = new Bench();
  const attempts = [busy({ retryAfterMs: 10 }), granted()];
  const { locks, backend, process } = bench.fake({ ...PLAN, attempts });

  await bench.run(async () => {
    const leased = locks.acquire('k');
    const abort = new AbortController();
    const waiting = rejection(locks.acquire('k', { signal: abort.signal }));
    const lease = await leased;
    await process.sleep(30);
    await lease.release();
    expect(await locks.tryAcquire('k')).toBeNull();

    abort.abort('enough');
    await waiting;

    expect(process.timers.live).toBe(0);
    expect((await locks.acquire('k')).state).toBe('held');
    expect(backend.times('attempt')).toEqual([0, 10, 40 + RELEASE_MS]);
  });
});

test('a caller who comes while the key is left to others waits behind those who came before', async () => {
  const bench = new Bench();
  const attempts = [busy({ retryAfterMs: 10 }), granted()];
  const { locks, process } = bench.fake({ ...PLAN, attempts });
  const served: string[] = [];

  await bench.run(async () => {
    const leased = locks.acquire('k');
    const first = locks.use('k', () => void served.push('first'));
    const lease = await leased;
    await process.sleep(30);
    await lease.release();
    const second = locks.use('k', () => void served.push('second'));
    await Promise.all([first, second]);

    expect(served).toEqual(['first', 'second']);
  });
});

test('close waits for a release to the next caller, though that one has come and gone', async () => {
  const bench = new Bench();
  const release = new Deferred<{ kind: 'released' }>();
  const { locks, process } = bench.fake({
    passesOn: true,
    releases: [({ what }) => (what === 'release' ? { kind: 'released' } : release.promise)],
  });

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const next = locks.acquire('k');
    const released = lease.release();
    await (await next).release();
    let isClosed = false;
    const closed = locks.close({ timeoutMs: 100_000 }).then(() => (isClosed = true));
    await process.sleep(5_000);
    expect(isClosed).toBe(false);

    release.resolve({ kind: 'released' });
    await released;
    await closed;
  });
});

test('a caller whose time is over when the key comes to it is passed over', async () => {
  const bench = new Bench();
  const { locks, backend, process } = bench.fake(PLAN);

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const tooLate = rejection(locks.acquire('k', { waitMs: 2 }));
    const next = locks.acquire('k');
    await process.sleep(4);
    await lease.release();

    expect(await tooLate).toBeInstanceOf(LockTimeoutError);
    expect((await next).state).toBe('held');
    expect(backend.times('attempt')).toEqual([0, 4]);
  });
});
