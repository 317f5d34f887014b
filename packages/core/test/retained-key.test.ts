import { CapabilityError, InvalidOptionError, type Lease, type Locks } from '@holdfast/core';
import { validityMs } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { Deferred, grantedFixed, late, renewed, unknown } from './support/fake-backend.ts';

function bug(): never {
  throw new Error('boom');
}

/** The lease of a job that is done and whose key is kept for a minute. */
async function smuggled(locks: Locks): Promise<Lease> {
  const run = await locks.tryUse('k', (lease) => ({ lease }), { keepMs: 60_000 });
  if (!run.ran) throw new Error('the key was taken');
  return run.value.lease;
}

describe('with keepMs, a job that is done sooner', () => {
  test('leaves the key taken until keepMs after the grant, and releases it then', async () => {
    const bench = new Bench();
    const early = await bench.open('early', {}, 5);
    const replica = await bench.open('replica', {}, 5);

    await bench.run(async () => {
      const done = await early.locks.tryUse('k', () => 'done', { keepMs: 20_000, ttlMs: 30_000 });
      expect(done).toEqual({ ran: true, value: 'done' });

      await replica.process.sleep(20_000 - 5);
      expect(await replica.locks.tryUse('k', () => 'twice')).toEqual({ ran: false });
      await replica.process.sleep(20);
      expect(await replica.locks.tryUse('k', () => 'next')).toEqual({ ran: true, value: 'next' });
    });
  });

  test('counts from the arrival of the grant, not from its send time', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('p', {}, 400);

    await bench.run(async () => {
      await locks.tryUse('k', () => {}, { keepMs: 10_000 });
      // The request took effect at 400; the release leaves at 10,800 and arrives at 11,200.
      await process.sleep(10_000);
      expect(bench.store.inspect('k')).toBeDefined();
      await process.sleep(401);
      expect(bench.store.inspect('k')).toBeUndefined();
    });
  });

  test('extends the key in the store beyond its ttl, once, and renews no more', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('p', {}, 5);

    await bench.run(async () => {
      await locks.tryUse('k', () => process.sleep(100), { keepMs: 60_000, ttlMs: 3_000 });
      // From here on the process may be gone: the store alone keeps the key.
      process.crash();
      await bench.world.advance(59_900);
      expect(bench.store.inspect('k')).toBeDefined();
      await bench.world.advance(2_000);
      expect(bench.store.inspect('k')).toBeUndefined();
    });
  });

  test('does not keep the process alive for it', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      await locks.tryUse('k', () => {}, { keepMs: 60_000, ttlMs: 3_000 });
      expect(bench.world.awaitedTimers(process)).toBe(0);

      await process.sleep(59_999);
      expect(backend.times('release')).toEqual([]);
      await process.sleep(2);
      expect(backend.times('release')).toEqual([60_000]);
      expect(backend.times('renew')).toHaveLength(1);
      expect(bench.types).toEqual(['acquired', 'released']);
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });

  test('is over for its lease', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await smuggled(locks);

      expect(lease.state).toBe('released');
      expect(await lease.release()).toEqual({ kind: 'not-held' });
      expect(backend.times('release')).toEqual([]);
    });
  });

  test('waits for a renewal in flight before it extends the key', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [late(200, renewed())] });

    await bench.run(async () => {
      await locks.tryUse('k', () => process.sleep(1_100), { keepMs: 60_000, ttlMs: 3_000 });

      const [first = 0, second = 0] = backend.times('renew');
      expect(first).toBeCloseTo(1_000, 2);
      expect(second).toBeCloseTo(1_200, 2);
    });
  });

  test('retries after a renewal of unknown outcome', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [unknown, unknown, renewed()] });

    await bench.run(async () => {
      await locks.tryUse('k', () => {}, { keepMs: 60_000, ttlMs: 3_000 });

      expect(process.nowMs).toBe(600);
      expect(backend.times('renew')).toEqual([0, 300, 600]);
    });
  });

  test('stops its renewals when the key must have expired in the store, and still frees nothing early', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [unknown] });

    await bench.run(async () => {
      const run = await locks.tryUse('k', () => 1, { keepMs: 60_000, ttlMs: 3_000 });
      expect(run).toEqual({ ran: true, value: 1 });
      expect(process.nowMs).toBeLessThanOrEqual(3_000);

      await process.sleep(60_000);
      expect(backend.times('release')).toEqual([60_000]);
    });
  });

  test('sends no renewal at the moment at which the key must have expired in the store', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [unknown] });

    await bench.run(async () => {
      // Valid for 2,968: requested at 268, and every 300 from there.
      const options = { keepMs: 60_000, ttlMs: 3_000 };
      await locks.tryUse('k', () => process.sleep(268), options);

      expect(process.nowMs).toBe(2_968);
      expect(backend.times('renew')).toEqual([
        268, 568, 868, 1_168, 1_468, 1_768, 2_068, 2_368, 2_668,
      ]);
    });
  });

  test('sends nothing to a store that keeps it exactly long enough', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      await locks.tryUse('k', () => {}, { keepMs: validityMs(30_000), ttlMs: 30_000 });

      expect(backend.times('renew')).toEqual([]);
    });
  });

  test('lets the queue advance when the store no longer has the key', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ renewals: [{ kind: 'lost' }] });

    await bench.run(async () => {
      await locks.tryUse('k', () => 1, { keepMs: 60_000, ttlMs: 3_000 });

      expect(await locks.tryUse('k', () => 2)).toEqual({ ran: true, value: 2 });
    });
  });

  test.each(['a wall clock that jumps', 'a machine that sleeps'])(
    'frees nothing early by %s',
    async (what) => {
      const bench = new Bench();
      const { locks, process, backend } = bench.fake();

      await bench.run(async () => {
        await locks.tryUse('k', () => 1, { keepMs: 60_000 });
        if (what === 'a wall clock that jumps') process.jumpWall(3_600_000);
        else process.suspend(3_600_000);
        await process.sleep(0);

        expect(await locks.tryUse('k', () => 2)).toEqual({ ran: false });
        expect(backend.times('release')).toEqual([]);
      });
    },
  );

  test('frees nothing early by the collection of its lease', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await smuggled(locks);
      process.collect(lease);
      await process.sleep(1_000);

      expect(backend.times('release')).toEqual([]);
      expect(bench.reported('leaked')).toEqual([]);
    });
  });

  test('frees nothing early by close', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      await locks.tryUse('k', () => 1, { keepMs: 60_000 });
      await locks.close();
      expect(process.nowMs).toBe(0);
      expect(bench.world.pendingTimers()).toBe(0);
      await process.sleep(100_000);

      expect(backend.times('release')).toEqual([]);
    });
  });

  test('releases it before a close that comes at the end of keepMs', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ releases: [late(200, { kind: 'released' })] });

    await bench.run(async () => {
      await locks.tryUse('k', () => 1, { keepMs: 1_000 });
      await process.sleep(1_050);
      await locks.close();

      expect(backend.times('release')).toEqual([1_000]);
      expect(backend.times('close')).toEqual([1_200]);
    });
  });

  test('frees nothing early by a close while a renewal is in flight', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [unknown] });

    await bench.run(async () => {
      const run = locks.tryUse('k', () => 1, { keepMs: 60_000, ttlMs: 3_000 });
      await process.sleep(100);
      await locks.close();

      expect(await run).toEqual({ ran: true, value: 1 });
      expect(process.nowMs).toBe(100);
      expect(bench.world.pendingTimers()).toBe(0);
      expect(backend.times('release')).toEqual([]);
    });
  });

  test('lets a close wait for its renewal in flight, and sends no other', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [late(200, unknown)] });

    await bench.run(async () => {
      const run = locks.tryUse('k', () => 1, { keepMs: 60_000, ttlMs: 3_000 });
      await process.sleep(100);
      await locks.close();

      expect(backend.times('close')).toEqual([200]);
      expect(await run).toEqual({ ran: true, value: 1 });
      expect(process.nowMs).toBe(200);
      expect(backend.times('renew')).toEqual([0]);
    });
  });

  test('works with renew: false, and beyond maxHoldMs, which limits the job alone', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      await locks.tryUse('k', () => 1, { keepMs: 60_000, renew: false, maxHoldMs: 5_000 });
      await process.sleep(60_000);

      expect(backend.times('release')).toEqual([60_000]);
    });
  });
});

describe('with keepMs, the key is released normally', () => {
  test('by a job that ran longer', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      await locks.tryUse('k', () => process.sleep(7_000), { keepMs: 5_000, ttlMs: 3_000 });

      expect(backend.times('release')).toEqual([7_000]);
    });
  });

  test('by a job that ran exactly as long', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ releases: [late(50, { kind: 'released' })] });

    await bench.run(async () => {
      await locks.tryUse('k', () => process.sleep(5_000), { keepMs: 5_000, renew: false });

      expect(process.nowMs).toBe(5_050);
      expect(backend.times('release')).toEqual([5_000]);
      expect(bench.reported('released')).toHaveLength(1);
    });
  });

  test('by a job that threw', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const run = locks.tryUse('k', () => process.sleep(10).then(bug), { keepMs: 5_000 });

      expect(await rejection(run)).toEqual(new Error('boom'));
      expect(backend.times('release')).toEqual([10]);
    });
  });

  test('by a job that released it itself', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      await locks.tryUse('k', async (lease) => void (await lease.release()), { keepMs: 5_000 });

      expect(backend.times('release')).toEqual([0]);
      expect(backend.times('renew')).toEqual([]);
    });
  });
});

describe('keepMs is refused', () => {
  test.each([1, 5_000])('on sessions, before anything is sent: %i ms', async (keepMs) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ capabilities: { lease: 'session' } });

    await bench.run(async () => {
      const error = await rejection(locks.tryUse('k', () => 1, { keepMs }));

      expect(error).toBeInstanceOf(CapabilityError);
      expect(error).toMatchObject({ key: 'k', backend: 'fake' });
      expect(backend.calls).toEqual([]);
    });
  });

  test('where leases cannot be renewed, before the job runs', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [grantedFixed()] });
    const ran = new Deferred<void>();

    await bench.run(async () => {
      const error = await rejection(locks.tryUse('k', () => ran.resolve(), { keepMs: 5_000 }));

      expect(error).toBeInstanceOf(CapabilityError);
      expect(backend.times('release')).toHaveLength(1);
    });
  });

  test('by calls without this option', async () => {
    const bench = new Bench();
    const { locks } = bench.fake();

    await bench.run(async () => {
      // @ts-expect-error -- keepMs is an option of tryUse alone
      const error = await rejection(locks.acquire('k', { keepMs: 5_000 }));

      expect(error).toBeInstanceOf(InvalidOptionError);
    });
  });
});

describe('a key that is kept after its job', () => {
  test('is reported once, though its renewal finds it gone when its time is over', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ renewals: [late(300, { kind: 'lost' })] });

    await bench.run(async () => {
      const trying = locks.tryUse('k', () => undefined, { ttlMs: 200, keepMs: 250 });
      await process.sleep(1_000);
      await trying;
    });

    expect(bench.reported('released')).toHaveLength(1);
  });

  test('keeps the process alive while an unknown renewal is retried', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ renewals: [unknown, renewed()] });
    const awaited: (boolean | undefined)[] = [];
    const timer = process.runtime.timer.bind(process.runtime);
    process.runtime.timer = (ms, run, options) => {
      if (ms === 100) awaited.push(options?.awaited);
      return timer(ms, run, options);
    };

    await bench.run(async () => {
      await locks.tryUse('k', () => undefined, { ttlMs: 1_000, keepMs: 5_000 });
    });

    expect(awaited).toEqual([true]);
  });

  test('needs no renewal if nothing is retained', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [grantedFixed()] });

    await bench.run(async () => {
      expect(await locks.tryUse('k', () => 7)).toEqual({ ran: true, value: 7 });
    });
  });
});
