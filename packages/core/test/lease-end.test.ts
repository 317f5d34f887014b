import { type Lease, LockLostError } from '@holdfast/core';
import { type Grant, type Release, validityMs } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { Deferred, granted, grantedFixed, late, unknown } from './support/fake-backend.ts';

const RELEASED = { kind: 'released' } as const;

/** True time at which the signal reports the loss. */
function lossReportedMs(lease: Lease, process: { readonly nowMs: number }): Promise<number> {
  return new Promise((resolve) => {
    lease.signal.addEventListener('abort', () => resolve(process.nowMs));
  });
}

describe('a loss', () => {
  test('is reported at the deadline when the store is dead, not later', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ renewals: [late(400, unknown)] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });
      const atMs = await lossReportedMs(lease, process);

      expect(atMs).toBeCloseTo(validityMs(5_000), 2);
      expect(lease.signal.reason).toBeInstanceOf(LockLostError);
      expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', key: 'k', backend: 'fake' });
      expect(bench.reported('lost')).toMatchObject([{ key: 'k', reason: 'deadline' }]);
    });
  });

  test('is reported at the deadline when the store never replies to a renewal', async () => {
    const bench = new Bench();
    const silence = new Deferred<never>();
    const { locks, process } = bench.fake({ renewals: [silence.promise] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });

      const atMs = await lossReportedMs(lease, process);
      expect(atMs).toBeCloseTo(validityMs(5_000), 2);
    });
  });

  test('is reported at the deadline though a renewal is sent within the last millisecond', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({
      // Sent at 333.3 and answered at 887.6: the next one leaves at 987.6, and the lease ends at 988.
      renewals: [late(554.3, unknown), new Deferred<never>().promise],
    });

    await bench.run(async () => {
      const { signal } = await locks.acquire('k', { ttlMs: 1_000 });
      await process.sleep(990);

      expect(backend.times('renew').at(-1)).toBeGreaterThan(987);
      expect(signal.aborted).toBe(true);
      expect(bench.reported('lost')).toMatchObject([{ reason: 'deadline' }]);
    });
  });

  test('that a renewal finds leaves nothing of what the clocks would still allow', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ renewals: [{ kind: 'lost' }] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 3_000 });
      await process.sleep(1_001);

      expect(lease.remainingMs()).toBe(0);
      expect(() => lease.assertHeld()).toThrow('the store no longer has it');
    });
  });

  test('of a stolen key is reported at the next renewal', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('p');

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 3_000 });
      const reportedMs = lossReportedMs(lease, process);
      await process.sleep(500);
      bench.store.force('k');
      bench.store.acquire('k', 'a thief', 60_000);

      expect(await reportedMs).toBe(1_000);
      expect(bench.reported('lost')).toMatchObject([{ reason: 'renewal', heldMs: 1_000 }]);
    });
  });

  test('that the backend pushes is reported at once, and once', async () => {
    const bench = new Bench();
    const listeners: (() => void)[] = [];
    const { locks, process } = bench.fake({
      attempts: [
        granted({
          onLost: (listener) => {
            listeners.push(listener);
            return () => {};
          },
        }),
      ],
    });

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const { signal } = lease;
      await process.sleep(10);
      for (const lost of [...listeners, ...listeners]) lost();

      expect(signal.aborted).toBe(true);
      expect(bench.reported('lost')).toMatchObject([{ reason: 'pushed', heldMs: 10 }]);
    });
  });

  test('that was pushed before the lease was handed out makes acquire reject', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({
      attempts: [
        granted({
          onLost: (listener) => {
            listener();
            return () => {};
          },
        }),
      ],
    });

    await bench.run(async () => {
      expect(await rejection(locks.acquire('k'))).toBeInstanceOf(LockLostError);
      expect(backend.times('release')).toHaveLength(1);
    });
  });

  test('aborts a signal that is first read after it', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 1_000, renew: false });
      await process.sleep(1_000);

      expect(lease.signal.aborted).toBe(true);
      expect(lease.signal.reason).toBeInstanceOf(LockLostError);
    });
  });

  test('is the end at maxHoldMs, however often the lease was renewed', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 1_000, maxHoldMs: 3_000 });
      const atMs = await lossReportedMs(lease, process);

      expect(atMs).toBeCloseTo(3_000, 2);
      expect(bench.reported('lost')).toMatchObject([{ reason: 'max-hold' }]);
      expect(backend.times('renew').length).toBeGreaterThan(5);
    });
  });
});

describe('a release', () => {
  test('leaves no time to believe in, however much was left', async () => {
    const bench = new Bench();
    const { locks } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const releasing = lease.release();

      expect(lease.remainingMs()).toBe(0);
      expect(() => lease.assertHeld()).toThrow('has been released');
      await releasing;
      expect(lease.remainingMs()).toBe(0);
    });
  });

  test('never aborts the signal', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 1_000 });
      const { signal } = lease;
      await lease.release();
      await process.sleep(10_000);

      expect(lease.state).toBe('released');
      expect(signal.aborted).toBe(false);
      expect(() => lease.assertHeld()).toThrow(/has been released/);
    });
  });

  test('is sent once, however often it is called', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ releases: [late(20, { kind: 'released' })] });

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const [first, second] = await Promise.all([lease.release(), lease.release()]);

      expect([first, second, await lease.release()]).toEqual([RELEASED, RELEASED, RELEASED]);
      expect(backend.times('release')).toHaveLength(1);
    });
  });

  test('after a loss is not-held, and sends nothing more', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 1_000, renew: false });
      await process.sleep(1_000);

      expect(await lease.release()).toEqual({ kind: 'not-held' });
      expect(backend.times('release')).toHaveLength(1);
    });
  });

  test('that the backend throws at is doubt', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({
      releases: [
        () => {
          throw new Error('connection reset');
        },
      ],
    });

    await bench.run(async () => {
      const lease = await locks.acquire('k');

      expect(await lease.release()).toEqual({
        kind: 'unknown',
        cause: new Error('connection reset'),
      });
    });
  });

  test('of which a backend says nothing is doubt, and the next caller has its turn', async () => {
    const bench = new Bench();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a backend in JavaScript may
    const nothing = undefined as unknown as Release;
    const { locks } = bench.fake({ releases: [() => Promise.resolve(nothing)] });

    await bench.run(async () => {
      const lease = await locks.acquire('k');

      expect(await lease.release()).toMatchObject({
        kind: 'unknown',
        cause: expect.any(TypeError),
      });
      expect((await locks.acquire('k')).state).toBe('held');
    });
  });

  test('is what the end of an `await using` block does', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      {
        await using lease = await locks.acquire('k');
        expect(lease.state).toBe('held');
      }

      expect(backend.times('release')).toHaveLength(1);
    });
  });
});

describe('for any end of a lease, its grant is released once and its timer is gone', () => {
  const ends: Record<string, (lease: Lease, stage: ReturnType<Bench['fake']>) => unknown> = {
    released: (lease) => lease.release(),
    'past its deadline': (_, { process }) => process.sleep(20_000),
    collected: (lease, { process }) => {
      process.collect(lease);
      return process.sleep(0);
    },
    'past its cap': (lease, { process }) => lease.extend(10_000).then(() => process.sleep(2_500)),
    'by its wall clock': (lease, { process }) => {
      process.jumpWall(20_000);
      return lease.state;
    },
    closed: (_, { locks }) => locks.close(),
  };

  test.each(Object.keys(ends))('%s', async (how) => {
    const bench = new Bench();
    const stage = bench.fake({ releases: [late(10, { kind: 'released' })] });

    await bench.run(async () => {
      const lease = await stage.locks.acquire('k', {
        ttlMs: 2_000,
        maxHoldMs: 2_500,
        renew: false,
      });
      await ends[how]?.(lease, stage);
      await stage.process.sleep(100);
      await lease.release();

      expect(stage.backend.times('release')).toHaveLength(1);
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });

  test('a fixed lease ends at its ttl', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ attempts: [grantedFixed()] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 1_000 });
      await process.sleep(validityMs(1_000) - 1);
      expect(lease.state).toBe('held');
      await process.sleep(1);

      expect(lease.state).toBe('lost');
      expect(backend.times('renew')).toEqual([]);
    });
  });
});

function benchWithLossListener(
  onLost: NonNullable<Grant['onLost']>,
): Bench & { locks: ReturnType<Bench['fake']>['locks'] } {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [granted({ onLost })] });
  return Object.assign(bench, { locks });
}

describe('a grant that reports its loss', () => {
  test('has no listener after the lease has been released', async () => {
    let listens = 0;
    const bench = benchWithLossListener(() => {
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

  test('has no listener after the time limit of `close`', async () => {
    let listens = 0;
    const bench = benchWithLossListener(() => {
      listens += 1;
      return () => void (listens -= 1);
    });

    await bench.run(async () => {
      await bench.locks.acquire('k');
      await bench.locks.close({ timeoutMs: 10 });

      expect(listens).toBe(0);
    });
  });

  test('has no listener after it reports at once', async () => {
    let listens = 0;
    const bench = benchWithLossListener((listener) => {
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
