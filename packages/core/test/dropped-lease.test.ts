import { validityMs } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import { Deferred, late, renewed, unknown } from './support/fake-backend.ts';

describe('a lease that is dropped without release', () => {
  test('is reported as leaked and lost, not renewed any more, and released when it expires', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      process.collect(await locks.acquire('k', { ttlMs: 3_000 }));
      await process.sleep(60_000);

      // Noticed before the first renewal, which would have been at 1,000.
      expect(bench.reported('leaked')).toMatchObject([{ key: 'k', backend: 'fake', heldMs: 750 }]);
      expect(bench.reported('lost')).toMatchObject([{ key: 'k', reason: 'leaked', heldMs: 750 }]);
      expect(backend.times('release')).toEqual([validityMs(3_000)]);
      expect(backend.times('renew')).toEqual([]);
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });

  test('on several keys leaks each of them, and releases none before it expires', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      process.collect(await locks.acquire(['a', 'b'], { ttlMs: 3_000 }));
      await process.sleep(60_000);

      for (const type of ['leaked', 'lost'] as const)
        expect(bench.reported(type)).toMatchObject([
          { key: 'a', heldMs: 750 },
          { key: 'b', heldMs: 750 },
        ]);
      expect(backend.times('release')).toEqual([validityMs(3_000), validityMs(3_000)]);
      expect(backend.times('renew')).toEqual([]);
    });
  });

  test('on several keys is kept and renewed once its signal has been read', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire(['a', 'b'], { ttlMs: 3_000 });
      const { signal } = lease;
      process.collect(lease);
      await process.sleep(60_000);

      expect(signal.aborted).toBe(false);
      expect(bench.reported('leaked')).toEqual([]);
      await lease.release();
    });
  });

  test('in the last moment of its time is released no sooner than it expires', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [unknown] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(validityMs(4_000) - 0.5);
      process.collect(lease);
      await process.sleep(1);

      expect(bench.reported('leaked')).toHaveLength(1);
      expect(backend.times('release')).toEqual([validityMs(4_000)]);
    });
  });

  test('lets the next waiter contend when it expires', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_000);
      process.collect(lease);
      await locks.acquire('k');

      expect(backend.times('attempt')).toEqual([0, validityMs(4_000)]);
    });
  });

  test('is released when it expires by the wall clock, even while a renewal is in flight', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [late(500, renewed())] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 30_000 });
      await process.sleep(10_200);
      process.collect(lease);
      await process.sleep(1_000);
      process.jumpWall(30_000);
      await process.sleep(1_001);

      expect(backend.times('renew')).toHaveLength(1);
      expect(backend.times('release')).toHaveLength(1);
    });
  });

  test('is left to expire by close, which does not wait for it', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_000);
      process.collect(lease);
      await process.sleep(0);
      const { stillHeld } = await locks.close();

      const remainingMs = validityMs(4_000) - 1_000;
      expect(stillHeld).toMatchObject([{ key: 'k', remainingMs }]);
      expect(backend.times('close')).toEqual([1_000]);
      expect(backend.times('release')).toEqual([]);
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });

  test.each([
    ['before', 10],
    ['after', 1_100],
  ])('is not reported if its signal was read %s core dropped its reference', async (_, ms) => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 3_000 });
      await process.sleep(ms);
      expect(lease.signal.aborted).toBe(false);
      process.collect(lease);
      await process.sleep(4_000);

      expect(bench.reported('leaked')).toEqual([]);
      expect(backend.times('renew').length).toBeGreaterThan(3);
    });
  });

  test('is not reported if it had been released or lost', async () => {
    const bench = new Bench();
    const never = new Deferred<never>();
    const { locks, process } = bench.fake({ renewals: [never.promise] });

    await bench.run(async () => {
      const released = await locks.acquire('k', { ttlMs: 100 });
      await process.sleep(30);
      await released.release();
      const lost = await locks.acquire('l', { ttlMs: 1_000 });
      await process.sleep(1_000);
      process.collect(released);
      process.collect(lost);
      const justReleased = await locks.acquire('m', { ttlMs: 100 });
      await process.sleep(30);
      process.collect(justReleased);
      await justReleased.release();
      await process.sleep(10);

      expect(bench.reported('leaked')).toEqual([]);
    });
  });

  test('is detected from a quarter of its ttl on, and its renewal stops', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_001);
      process.collect(lease);
      await process.sleep(1_000);
    });

    expect(bench.reported('leaked')).toHaveLength(1);
    expect(backend.times('renew')).toEqual([]);
  });

  test.each(['released', 'lost'])(
    'is not reported if it is %s before the collector reports it',
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
        expect(bench.reported('leaked')).toEqual([]);
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
