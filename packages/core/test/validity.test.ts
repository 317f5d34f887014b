import { type Lease, LockLostError } from '@holdfast/core';
import { remainingMs, validityMs } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { LeaseClock } from '../src/lease-clock.ts';
import { ttlMsFor } from '../src/validity.ts';
import { Bench, rejection } from './support/bench.ts';
import { granted, late, renewed } from './support/fake-backend.ts';

/** True time at which the signal reports the loss. */
function lossReportedMs(lease: Lease, process: { readonly nowMs: number }): Promise<number> {
  return new Promise((resolve) => {
    lease.signal.addEventListener('abort', () => resolve(process.nowMs));
  });
}

test('a renewal is due by the wall clock once a third of the ttl has passed', () => {
  const { runtime } = new Bench().fake().process;
  const from = runtime.now();
  const grant = { leaseMs: 30_000, validity: { from, ms: validityMs(30_000) } };
  const clock = new LeaseClock(runtime, grant, Number.POSITIVE_INFINITY);
  const isDue = (afterMs: number): boolean =>
    clock.isRenewalDue({ ...from, wallMs: from.wallMs + afterMs });

  expect([9_999, 10_000].map(isDue)).toEqual([false, true]);
});

describe('validity', () => {
  test('is the ttl less a hundredth of it and 2 ms, because clocks run at different rates', () => {
    expect(validityMs(30_000)).toBe(29_698);
    expect(validityMs(100)).toBe(97);
  });

  test('counts from the send time, not from the reply', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('p', {}, 150);

    await bench.run(async () => {
      const lease = await locks.acquire('k');

      expect(lease.remainingMs()).toBe(validityMs(30_000) - 300);
      await lease.extend(60_000);
      expect(lease.remainingMs()).toBe(validityMs(60_000) - 300);
    });
  });

  test('ends by the wall clock, though no timer could fire', async () => {
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

  test('ends while the machine sleeps and its monotonic clock is stopped', async () => {
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
    'with %s, a loss is reported within a second after the machine has slept for an hour',
    async (_ttl, options) => {
      const bench = new Bench();
      const { locks, process } = bench.fake();

      await bench.run(async () => {
        const { signal } = await locks.acquire('k', options);
        await process.sleep(2_500);
        process.suspend(3_600_000);
        await process.sleep(1_001);

        expect(signal.reason).toBeInstanceOf(LockLostError);
        expect(bench.reported('lost')).toHaveLength(1);
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
      const reportedMs = lossReportedMs(lease, process).then(() => process.clocks.wallMs - wallMs);
      for (let i = 0; i < 1_000; i++) {
        process.jumpWall(5);
        await process.sleep(100);
      }

      expect(await reportedMs).toBeLessThan(validityMs(100_000) + 1_100);
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

  test('once over is not restored by a late renewal', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [late(3_500, renewed())] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 5_000 });
      await process.sleep(5_500);

      expect(lease.state).toBe('lost');
      expect(lease.remainingMs()).toBe(0);
      expect(backend.times('renew')).toHaveLength(1);
      expect(bench.reported('renewed')).toEqual([]);
    });
  });

  test('that is over before the lease can be handed out makes acquire reject', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({
      attempts: [
        (call, p) => {
          // The third clock read from here on: the grant was long enough, then the process is paused.
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

test('the shortest ttl for a validity is long enough, in whole ms', () => {
  for (const ms of [1, 97, 98, 100.5, 487, 1_000, 29_698, 59_401.25]) {
    const ttlMs = ttlMsFor(ms);
    expect(Number.isInteger(ttlMs)).toBe(true);
    expect(validityMs(ttlMs)).toBeGreaterThanOrEqual(ms - 1e-9);
    expect(validityMs(ttlMs - 1)).toBeLessThan(ms);
  }
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
