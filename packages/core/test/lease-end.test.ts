import { type Lease, LockLostError, remainingMs, validityMs } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { granted, grantedFixed, late, renewed, Told, unknown } from './support/fake-backend.ts';

const RELEASED = { kind: 'released' } as const;

/** True time at which the holder is told of its loss. */
function toldAtMs(lease: Lease, process: { readonly nowMs: number }): Promise<number> {
  return new Promise((resolve) => {
    lease.signal.addEventListener('abort', () => resolve(process.nowMs));
  });
}

describe('validity', () => {
  test('is the ttl less a hundredth of it and 2 ms, because clocks run at different rates', () => {
    expect(validityMs(30_000)).toBe(29_698);
    expect(validityMs(100)).toBe(97);
  });

  test('counts from when the request left, not from the reply', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('p', {}, 150);

    await bench.run(async () => {
      const lease = await locks.acquire('k');

      expect(lease.remainingMs()).toBe(validityMs(30_000) - 300);
      await lease.extend(60_000);
      expect(lease.remainingMs()).toBe(validityMs(60_000) - 300);
    });
  });

  test('ends when the wall clock says so, though no timer could tell', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });
      process.jumpWall(5_000);

      expect(lease.remainingMs()).toBe(0);
      expect(() => lease.assertHeld()).toThrow(LockLostError);
      expect(lease.signal.aborted).toBe(true);
    });
  });

  test('is over when what is left is too little to move a clock reading', async () => {
    const bench = new Bench();
    const { process } = bench.fake();

    await bench.run(async () => {
      const validity = { from: process.clocks, ms: 500 + 1e-10 };
      await process.sleep(499.999);
      expect(remainingMs(validity, process.runtime)).toBeCloseTo(0.001, 6);
      await process.sleep(0.001);
      expect(remainingMs(validity, process.runtime)).toBe(0);
    });
  });

  test('is over below a millionth of a millisecond, and not at it', () => {
    const { process } = new Bench().fake();
    const from = process.clocks;

    expect(remainingMs({ from, ms: 1e-6 }, process.runtime)).toBe(1e-6);
    expect(remainingMs({ from, ms: 0.9e-6 }, process.runtime)).toBe(0);
  });

  test('is not prolonged by a wall clock set back', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000, renew: false });
      process.jumpWall(-3_600_000);
      expect(lease.remainingMs()).toBe(validityMs(5_000));

      await process.sleep(validityMs(5_000));
      expect(lease.state).toBe('lost');
    });
  });

  test('ends while the machine sleeps and its monotonic clock stands still', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });
      process.suspend(60_000);
      await process.sleep(0);

      expect(lease.remainingMs()).toBe(0);
      expect(lease.state).toBe('lost');
    });
  });

  test.each([
    ['a ttl of 30 s', { ttlMs: 30_000 }],
    ['a fixed ttl of 30 s', { ttlMs: 30_000, renew: false }],
    ['a ttl of a day', { ttlMs: 86_400_000, maxHoldMs: 3_600_000 }],
    ['a fixed ttl of a day', { ttlMs: 86_400_000, renew: false, maxHoldMs: 3_600_000 }],
  ])(
    'with %s, a loss is told within a second after the machine has slept for an hour',
    async (_ttl, options) => {
      const bench = new Bench();
      const { locks, process } = bench.fake();

      await bench.run(async () => {
        const { signal } = await locks.acquire('k', options);
        await process.sleep(2_500);
        process.suspend(3_600_000);
        await process.sleep(1_001);

        expect(signal.reason).toBeInstanceOf(LockLostError);
        expect(bench.told('lost')).toHaveLength(1);
      });
    },
  );

  test('that is still good after its machine has slept is renewed within a second', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 30_000 });
      await process.sleep(1_000);
      process.suspend(21_000);
      await process.sleep(1_001);

      expect(backend.times('renew')).toHaveLength(1);
      await process.sleep(8_000);
      expect(lease.state).toBe('held');
    });
  });

  test('whose wall clock creeps ahead ends at most a second late by it', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 100_000, renew: false });
      const { wallMs } = process.clocks;
      const told = toldAtMs(lease, process).then(() => process.clocks.wallMs - wallMs);
      for (let i = 0; i < 1_000; i++) {
        process.jumpWall(5);
        await process.sleep(100);
      }

      expect(await told).toBeLessThan(validityMs(100_000) + 1_100);
    });
  });

  test('is read from the clocks: after a blocked event loop no timer has fired, yet the lease knows', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });
      const { signal } = lease;
      process.block(5_000);

      expect(signal.aborted).toBe(false);
      expect(() => lease.assertHeld()).toThrow(/time ran out/);
      expect(signal.aborted).toBe(true);
    });
  });

  test('once over is over, whatever a late renewal says', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [late(3_500, renewed())] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });
      await process.sleep(5_500);

      expect(lease.state).toBe('lost');
      expect(lease.remainingMs()).toBe(0);
      expect(backend.times('renew')).toHaveLength(1);
      expect(bench.told('renewed')).toEqual([]);
    });
  });

  test('that is over before the lease can be handed out makes acquire reject', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({
      attempts: [
        (call, p) => {
          // The third look at the clocks from here on: the grant was found good, then the process stands still.
          p.stallBefore('now', 3, 60_000);
          return granted()(call, p);
        },
      ],
    });

    await bench.run(async () => {
      const error = await rejection(locks.acquire('k'));

      expect(error).toBeInstanceOf(LockLostError);
      expect(process.nowMs).toBeGreaterThanOrEqual(60_000);
    });
  });
});

describe('a loss', () => {
  test('is told at the deadline when the store is dead, not after', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ renewals: [late(400, unknown)] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });
      const atMs = await toldAtMs(lease, process);

      expect(atMs).toBeCloseTo(validityMs(5_000), 2);
      expect(lease.signal.reason).toBeInstanceOf(LockLostError);
      expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', key: 'k', backend: 'fake' });
      expect(bench.told('lost')).toMatchObject([{ key: 'k', reason: 'deadline' }]);
    });
  });

  test('is told at the deadline when the store never answers a renewal', async () => {
    const bench = new Bench();
    const silence = new Told<never>();
    const { locks, process } = bench.fake({ renewals: [silence.answer] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });

      const atMs = await toldAtMs(lease, process);
      expect(atMs).toBeCloseTo(validityMs(5_000), 2);
    });
  });

  test('is told at the deadline though a renewal leaves within the last millisecond', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({
      // Sent at 333.3 and answered at 887.6: the next one leaves at 987.6, and the lease ends at 988.
      renewals: [late(554.3, unknown), new Told<never>().answer],
    });

    await bench.run(async () => {
      const { signal } = await locks.acquire('k', { ttlMs: 1_000 });
      await process.sleep(990);

      expect(backend.times('renew').at(-1)).toBeGreaterThan(987);
      expect(signal.aborted).toBe(true);
      expect(bench.told('lost')).toMatchObject([{ reason: 'deadline' }]);
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

  test('of a stolen key is told at the next renewal', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('p');

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 3_000 });
      const told = toldAtMs(lease, process);
      await process.sleep(500);
      bench.store.force('k');
      bench.store.acquire('k', 'a thief', 60_000);

      expect(await told).toBe(1_000);
      expect(bench.told('lost')).toMatchObject([{ reason: 'renewal', heldMs: 1_000 }]);
    });
  });

  test('that the backend pushes is told at once, and once', async () => {
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
      expect(bench.told('lost')).toMatchObject([{ reason: 'pushed', heldMs: 10 }]);
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

  test('aborts a signal that is first asked for after it', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 1_000, renew: false });
      await process.sleep(1_000);

      expect(lease.signal.aborted).toBe(true);
      expect(lease.signal.reason).toBeInstanceOf(LockLostError);
    });
  });

  test('is what maxHoldMs ends in, however often the lease was renewed', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 1_000, maxHoldMs: 3_000 });
      const atMs = await toldAtMs(lease, process);

      expect(atMs).toBeCloseTo(3_000, 2);
      expect(bench.told('lost')).toMatchObject([{ reason: 'max-hold' }]);
      expect(backend.times('renew').length).toBeGreaterThan(5);
    });
  });
});

describe('a release', () => {
  test('leaves nothing to believe in, however much time there was', async () => {
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

  test('is sent once, however often it is asked for', async () => {
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

describe('however a lease ends, its grant is released once and its timer is gone', () => {
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
