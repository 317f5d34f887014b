import {
  CapabilityError,
  InvalidOptionError,
  LockLostError,
  OutcomeUnknownError,
} from '@holdfast/core';
import { validityMs } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { Deferred, grantedFixed, late, renewed, unknown } from './support/fake-backend.ts';

test('an extension is requested from the store, and later renewals request that ttl', async () => {
  const bench = new Bench();
  const { locks, process } = await bench.open('p');

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await lease.extend(60_000);
    expect(lease.remainingMs()).toBe(validityMs(60_000));
    expect(bench.store.inspect('k')?.remainingMs).toBe(60_000);

    await process.sleep(200_000);
    expect(lease.remainingMs()).toBeGreaterThan(validityMs(60_000) * 0.6);
  });
});

test('a shorter one lowers the deadline before anything is sent, and the ttl of later renewals', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 60_000 });
    const extending = lease.extend(3_000);
    expect(lease.remainingMs()).toBe(validityMs(3_000));
    expect(backend.times('renew')).toEqual([]);

    await extending;
    await process.sleep(1_001);
    expect(backend.calls.findLast(({ what }) => what === 'renew')?.ms).toBe(3_000);
    expect(lease.remainingMs()).toBeLessThanOrEqual(validityMs(3_000));
  });
});

test('a shorter one is not undone by a longer renewal that was on its way', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ renewals: [late(500, renewed())] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 30_000 });
    await process.sleep(10_100);
    await lease.extend(2_000);
    await process.sleep(500);

    expect(lease.remainingMs()).toBeCloseTo(validityMs(2_000) - 500, 2);
    await process.sleep(200);
    expect(backend.calls.findLast(({ what }) => what === 'renew')?.ms).toBe(2_000);
  });
});

test('one that is shorter than what a renewal on its way brings lowers that, too', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ renewals: [late(500, renewed()), renewed()] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 30_000 });
    await process.sleep(10_100);
    await lease.extend(25_000);

    const asked = backend.calls.filter(({ what }) => what === 'renew').map(({ ms }) => ms);
    expect(asked).toEqual([30_000, 25_000]);
    expect(lease.remainingMs()).toBe(validityMs(25_000));
  });
});

test('the new end is reported by the clocks, though the machine slept meanwhile', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ renewals: [late(50, renewed())] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000, renew: false });
    await process.sleep(1_000);
    const extending = lease.extend(3_500);
    await process.sleep(10);
    process.suspend(1_800);
    await extending;
    expect(lease.remainingMs()).toBeCloseTo(validityMs(3_500) - 1_850, 2);
    await process.sleep(3_000);

    // The monotonic clock, which was stopped, reaches the new end before the old one.
    expect(bench.reported('lost')).toMatchObject([{ reason: 'deadline' }]);
    expect(bench.reported('lost')[0]?.heldMs).toBeCloseTo(1_000 + validityMs(3_500), 2);
  });
});

test('it leaves no timer of the old end to a lease that is released', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000, renew: false });
    await lease.extend(60_000);
    await lease.release();

    expect(bench.world.pendingTimers()).toBe(0);
  });
});

test('it waits for the renewal in flight', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ renewals: [late(500, renewed())] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });
    await process.sleep(1_100);
    await lease.extend(9_000);

    expect(lease.remainingMs()).toBeCloseTo(validityMs(9_000) - 500, 2);
    const asked = backend.calls.filter(({ what }) => what === 'renew').map(({ ms }) => ms);
    expect(asked.slice(0, 2)).toEqual([3_000, 9_000]);
  });
});

test('a doubtful one rejects, and the lease ends at its old deadline', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ renewals: [unknown] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000, renew: false });
    const error = await rejection(lease.extend(60_000));

    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ key: 'k', backend: 'fake', cause: unknown.cause });
    expect(lease.remainingMs()).toBe(validityMs(3_000));
    await process.sleep(3_000);
    expect(lease.state).toBe('lost');
  });
});

test('one that finds the key gone is a loss', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ renewals: [{ kind: 'lost' }] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });

    expect(await rejection(lease.extend(60_000))).toBeInstanceOf(LockLostError);
    expect(lease.state).toBe('lost');
  });
});

test('one that comes back after the lease has ended is a loss', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ renewals: [late(4_000, renewed())] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000, renew: false });

    expect(await rejection(lease.extend(60_000))).toBeInstanceOf(LockLostError);
  });
});

test('none is sent for a lease that is over', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake();

  await bench.run(async () => {
    const lost = await locks.acquire('k', { ttlMs: 3_000, renew: false });
    process.jumpWall(3_000);
    const released = await locks.acquire('l');
    await released.release();

    expect(await rejection(lost.extend(60_000))).toBeInstanceOf(LockLostError);
    expect(String(await rejection(released.extend(60_000)))).toContain('has been released');
    expect(backend.times('renew')).toEqual([]);
  });
});

test('one that is released meanwhile rejects', async () => {
  const bench = new Bench();
  const slow = new Deferred<{ kind: 'lost' }>();
  const { locks } = bench.fake({ renewals: [slow.promise] });

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const extending = rejection(lease.extend(60_000));
    await lease.release();
    slow.resolve({ kind: 'lost' });

    expect(await extending).toBeInstanceOf(LockLostError);
    expect(lease.state).toBe('released');
  });
});

test('renew: false can be extended by hand', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000, renew: false });
    await lease.extend(60_000);

    expect(lease.remainingMs()).toBe(validityMs(60_000));
  });
});

test('a lease that the backend cannot renew can be shortened only', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ attempts: [grantedFixed()] });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000 });

    expect(await rejection(lease.extend(60_000))).toBeInstanceOf(CapabilityError);
    await lease.extend(1_000);
    expect(lease.remainingMs()).toBe(validityMs(1_000));
    await process.sleep(1_000);
    expect(await rejection(lease.extend(60_000))).toBeInstanceOf(LockLostError);
  });
});

test('a lease that lasts as long as its session can be shortened, but not outlast it', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake({ capabilities: { lease: 'session' } });

  await bench.run(async () => {
    const lease = await locks.acquire('k');

    expect(await rejection(lease.extend(30_001))).toBeInstanceOf(CapabilityError);
    expect(backend.times('renew')).toEqual([]);
    await lease.extend(1_000);
    expect(lease.remainingMs()).toBe(validityMs(1_000));
  });
});

test('a lease can be extended to all that its session lasts', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ capabilities: { lease: 'session' } });

  await bench.run(async () => {
    const lease = await locks.acquire('k', { renew: false });
    await process.sleep(5_000);
    await lease.extend(30_000);

    expect(backend.times('renew')).toEqual([5_000]);
    expect(lease.remainingMs()).toBe(validityMs(30_000));
  });
});

test('it does not lift maxHoldMs', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 3_000, maxHoldMs: 5_000 });
    await lease.extend(60_000);

    expect(lease.remainingMs()).toBe(5_000);
  });
});

test.each([99, 86_400_001, 1.5, Number.NaN, undefined, '60000'])(
  'a ttl of %s is refused before anything is sent',
  async (ttlMs) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k');

      // @ts-expect-error -- what code without types may pass
      expect(await rejection(lease.extend(ttlMs))).toBeInstanceOf(InvalidOptionError);
      expect(backend.times('renew')).toEqual([]);
    });
  },
);

describe('an extension', () => {
  test('to what is left anyway sends nothing', async () => {
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
