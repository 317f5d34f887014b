import { type Grant, validityMs } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { ttlMsFor } from '../../packages/core/src/validity.ts';
import { Bench, rejection } from '../../packages/core/test/support/bench.ts';
import { granted } from '../../packages/core/test/support/fake-backend.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

test('the shortest ttl that is valid for so long is that long, in whole ms', () => {
  for (const ms of [1, 97, 98, 100.5, 487, 1_000, 29_698, 59_401.25]) {
    const ttlMs = ttlMsFor(ms);
    expect(Number.isInteger(ttlMs)).toBe(true);
    expect(validityMs(ttlMs)).toBeGreaterThanOrEqual(ms - 1e-9);
    expect(validityMs(ttlMs - 1)).toBeLessThan(ms);
  }
});

describe('a lease that is dropped', () => {
  test('is noticed from a quarter of its ttl on, and its renewal stops', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_001);
      process.collect(lease);
      await process.sleep(1_000);
    });

    expect(bench.told('leaked')).toHaveLength(1);
    expect(backend.times('renew')).toEqual([]);
  });

  test.each(['released', 'lost'])(
    'is not told of when it is %s before the news of that comes',
    async (how) => {
      const bench = new Bench();
      const { locks, process } = bench.fake();

      await bench.run(async () => {
        const lease = await locks.acquire('k', { ttlMs: 4_000 });
        await process.sleep(1_001);
        process.collect(lease);
        if (how === 'lost') process.jumpWall(4_000);
        await lease.release();
        await process.sleep(1);

        expect(lease.state).toBe(how);
        expect(bench.told('leaked')).toEqual([]);
      });
    },
  );

  test('is watched by no collector before a quarter of its ttl has passed', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();
    const watchedMs: number[] = [];
    const onCollected = process.runtime.onCollected.bind(process.runtime);
    process.runtime.onCollected = (target, run) => {
      watchedMs.push(process.nowMs);
      return onCollected(target, run);
    };

    await bench.run(async () => {
      await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_100);
    });

    expect(watchedMs).toEqual([1_000]);
  });

  test('costs a collector nothing once it has been released', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();
    let watched = 0;
    const onCollected = process.runtime.onCollected.bind(process.runtime);
    process.runtime.onCollected = (target, run) => {
      watched += 1;
      const cancel = onCollected(target, run);
      return () => {
        watched -= 1;
        cancel();
      };
    };

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_001);
      expect(watched).toBe(1);
      await lease.release();
    });

    expect(watched).toBe(0);
  });
});

function told(
  onLost: NonNullable<Grant['onLost']>,
): Bench & { locks: ReturnType<Bench['fake']>['locks'] } {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [granted({ onLost })] });
  return Object.assign(bench, { locks });
}

describe('a grant that tells of its loss', () => {
  test('is listened to no longer when the lease has been released', async () => {
    let listens = 0;
    const bench = told(() => {
      listens += 1;
      return () => void (listens -= 1);
    });

    await bench.run(async () => {
      const lease = await bench.locks.acquire('k');
      expect(listens).toBe(1);
      await lease.release();
    });

    expect(listens).toBe(0);
  });

  test('is listened to no longer when it tells at once', async () => {
    let listens = 0;
    const bench = told((listener) => {
      listens += 1;
      listener();
      return () => void (listens -= 1);
    });

    await bench.run(async () => {
      await rejection(bench.locks.acquire('k'));
    });

    expect(listens).toBe(0);
  });
});

describe('an extension', () => {
  test('to what is left anyway asks nobody', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 3_000 });
      await lease.extend(3_000);
      expect(backend.times('renew')).toEqual([]);
    });
  });

  test('that is no number is refused by an error that names key and backend', async () => {
    const bench = new Bench();
    const { locks } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('orders/42');
      await expect(lease.extend(Number.NaN)).rejects.toMatchObject({
        key: 'orders/42',
        backend: 'fake',
      });
    });
  });
});

test('a lease is held to its last fraction of a millisecond', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 1_000, renew: false });
    await process.sleep(validityMs(1_000) - 0.5);

    expect(lease.remainingMs()).toBeCloseTo(0.5, 3);
    expect(() => lease.assertHeld()).not.toThrow();
  });
});
