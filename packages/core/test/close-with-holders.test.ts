import { InvalidOptionError, type Lease, LockLostError } from '@holdfast/core';
import { type Attempt, validityMs } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { Deferred, granted, late, renewed, unknown } from './support/fake-backend.ts';

describe('close, while a body of `use` runs', () => {
  test('waits for the body to end, holds and renews meanwhile, and lets another in only then', async () => {
    const bench = new Bench();
    const [a, b] = [await bench.open('a'), await bench.open('b')];
    const order: string[] = [];

    await bench.run(async () => {
      const used = a.locks.use(
        'k',
        async () => {
          await a.process.sleep(3_000);
          order.push('a writes');
        },
        { ttlMs: 1_000 },
      );
      await a.process.sleep(50);
      const entered = b.locks.use('k', () => void order.push('b enters'));

      expect(await a.locks.close()).toEqual({ stillHeld: [] });
      await Promise.all([used, entered]);

      expect(order).toEqual(['a writes', 'b enters']);
      expect(bench.reported('lost')).toEqual([]);
      expect(bench.reported('renewed').length).toBeGreaterThan(5);
    });
  });

  test('leaves the key of a body that does not end to expire, and reports it', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();
    const options: unknown[] = [];
    backend.close = async (given?: object) => void options.push(given);

    await bench.run(async () => {
      const used = locks.use('k', () => process.sleep(2_500), { ttlMs: 3_000 });
      await process.sleep(0);
      const { stillHeld } = await locks.close({ timeoutMs: 1_500 });

      // Renewed at 1,000, and never again.
      const remainingMs = validityMs(3_000) - 500;
      expect(stillHeld).toMatchObject([{ key: 'k', remainingMs }]);
      expect(options).toEqual([{ timeoutMs: 0, leavesHolds: true }]);
      expect(bench.reported('warning')).toMatchObject([{ code: 'STILL_HELD', key: 'k' }]);
      expect(bench.reported('lost')).toEqual([]);
      await used;
      expect(process.nowMs).toBe(2_500);
      expect(backend.times('renew')).toEqual([1_000]);
      expect(backend.times('release')).toEqual([]);
      expect(bench.reported('released')).toMatchObject([{ outcome: 'unknown', heldMs: 2_500 }]);
    });
  });

  test('reports the loss once the lease of such a body has expired, and rejects its `use`', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();
    const body = async (lease: Lease): Promise<unknown> => {
      await process.sleep(5_000);
      return lease.state;
    };

    await bench.run(async () => {
      const used = rejection(locks.use('k', body, { ttlMs: 1_000 }));
      await process.sleep(0);
      await locks.close({ timeoutMs: 0 });
      expect(bench.reported('lost')).toEqual([]);
      await process.sleep(validityMs(1_000) + 1);
      expect(bench.reported('lost')).toMatchObject([
        { reason: 'closed', heldMs: validityMs(1_000) },
      ]);

      expect(await used).toMatchObject({ code: 'LOCK_LOST', result: 'lost' });
      expect(backend.times('release')).toEqual([]);
    });
  });

  test('waits no longer for one that is lost meanwhile', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ renewals: [{ kind: 'lost' }] });

    await bench.run(async () => {
      const used = rejection(locks.use('k', () => process.sleep(4_000), { ttlMs: 3_000 }));
      await process.sleep(0);
      expect(await locks.close()).toEqual({ stillHeld: [] });

      expect(process.nowMs).toBe(1_000);
      expect(bench.reported('lost')).toMatchObject([{ reason: 'renewal' }]);
      expect(await used).toBeInstanceOf(LockLostError);
    });
  });

  test('does not report one whose lease has ended by then, as the machine slept', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const used = rejection(locks.use('k', () => process.sleep(2_000)));
      await process.sleep(0);
      process.jumpWall(3_600_000);

      expect(await locks.close({ timeoutMs: 300 })).toEqual({ stillHeld: [] });
      expect(await used).toBeInstanceOf(LockLostError);
    });
  });

  test('called by the body itself, ends when its time is over', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const report = await locks.use('k', () => locks.close({ timeoutMs: 800 }));

      expect(report.stillHeld).toMatchObject([{ key: 'k' }]);
      expect(process.nowMs).toBe(800);
    });
  });

  test('renews nothing after its time limit, even if a renewal was in flight', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [late(700, renewed())] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 3_000 });
      await process.sleep(1_200);
      await locks.close({ timeoutMs: 0 });
      await process.sleep(10_000);

      expect(backend.times('renew')).toEqual([1_000]);
      expect(lease.state).toBe('lost');
      expect(await lease.release()).toEqual({ kind: 'not-held' });
    });
  });

  test('sends no renewal for a retained key after its time limit', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [late(200, unknown), unknown] });

    await bench.run(async () => {
      const run = locks.tryUse('k', () => process.sleep(300), { keepMs: 60_000, ttlMs: 3_000 });
      await process.sleep(0);
      await locks.close({ timeoutMs: 400 });
      await run;
      await process.sleep(10_000);

      expect(backend.times('renew')).toEqual([300]);
    });
  });

  test('is not waited for any more by a call that comes when all is over', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const run = locks.use('k', () => process.sleep(300));
      await process.sleep(0);
      await locks.close();
      await locks.close({ timeoutMs: 1_000 });

      expect(bench.world.pendingTimers()).toBe(0);
      await run;
    });
  });

  test('has the key of a job under keepMs kept, though it ends during the closing', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const run = locks.tryUse('k', () => process.sleep(300), { keepMs: 60_000 });
      await process.sleep(0);
      expect(await locks.close()).toEqual({ stillHeld: [] });

      expect(await run).toEqual({ ran: true, value: undefined });
      expect(process.nowMs).toBe(300);
      expect(backend.times('renew')).toEqual([300]);
      expect(backend.times('release')).toEqual([]);
    });
  });
});

describe('close, while a lease of `acquire` is held', () => {
  test('waits for its release, and takes it from no holder', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 60_000 });
      const { stillHeld } = await locks.close();

      expect(process.nowMs).toBe(5_000);
      expect(stillHeld).toMatchObject([{ key: 'k', remainingMs: validityMs(60_000) - 5_000 }]);
      expect(backend.times('release')).toEqual([]);
      expect(lease.state).toBe('held');
      expect(() => lease.assertHeld()).not.toThrow();
      expect(await lease.release()).toMatchObject({ kind: 'unknown', cause: { code: 'CLOSED' } });
    });
  });

  test('is not held up by one that is collected meanwhile, whose key is left to expire', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_100);
      const closing = locks.close();
      await process.sleep(100);
      process.collect(lease);

      expect((await closing).stillHeld).toMatchObject([{ key: 'k' }]);
      expect(process.nowMs).toBe(1_200);
    });
  });

  test('a signal that is first read afterwards has aborted already', async () => {
    const bench = new Bench();
    const { locks } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const closing = locks.close();
      await Promise.resolve();
      expect(lease.signal.reason).toMatchObject({ code: 'CLOSING' });
      await lease.release();
      await closing;
    });
  });

  test('lengthens no lease after its time limit, but still shortens one', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      await locks.close({ timeoutMs: 0 });

      expect(await rejection(lease.extend(60_000))).toMatchObject({ code: 'CLOSED' });
      await lease.extend(1_000);
      expect(lease.remainingMs()).toBe(validityMs(1_000));
      expect(backend.times('renew')).toEqual([]);
    });
  });
});

describe('close, called again', () => {
  test('with a shorter limit ends sooner, with a longer one or none not later', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      await locks.acquire('k');
      const first = locks.close({ timeoutMs: 20_000 });
      await process.sleep(6_000);
      const second = locks.close();
      const third = locks.close({ timeoutMs: 1_000 });
      const fourth = locks.close({ timeoutMs: 60_000 });

      const reports = await Promise.all([first, second, third, fourth]);
      expect(process.nowMs).toBe(7_000);
      expect(new Set(reports).size).toBe(1);
    });
  });
});

describe('close, called wrongly,', () => {
  test.each([
    ['NaN', { timeoutMs: Number.NaN }],
    ['less than nothing', { timeoutMs: -1 }],
    ['no end', { timeoutMs: Number.POSITIVE_INFINITY }],
    ['a text', { timeoutMs: '5s' }],
    ['null', null],
    ['a number', 5_000],
    ['another option', { timeout: 5_000 }],
  ])('with %s, is refused and closes nothing', async (_what, options) => {
    const bench = new Bench();
    const { locks } = bench.fake();
    const close: (options: unknown) => Promise<unknown> = locks.close.bind(locks) as never;

    await bench.run(async () => {
      const error = await rejection(close(options));
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error).toMatchObject({ backend: 'fake' });
      expect(await locks.use('k', () => 1)).toBe(1);
    });
  });

  test('with an option that is undefined, counts it as left out', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ releases: [new Deferred<never>().promise] });

    await bench.run(async () => {
      void (await locks.acquire('k')).release();
      await locks.close({ timeoutMs: undefined });
      expect(process.nowMs).toBe(5_000);
    });
  });
});

test.each(Array.from({ length: 12 }, (_, steps) => steps))(
  'close, %i steps behind a grant, has the backend closed when that has been released',
  async (steps) => {
    const bench = new Bench();
    const attempt = new Deferred<Attempt>();
    const { locks, process, backend } = bench.fake({
      attempts: [() => attempt.promise],
      releases: [late(5, { kind: 'released' })],
    });

    await bench.run(async () => {
      const used = locks.use('k', () => {}).catch(() => {});
      await process.sleep(1);
      const call = backend.calls.find(({ what }) => what === 'attempt');
      if (call === undefined) throw new Error('nothing was attempted');
      attempt.resolve(await granted()(call, process));
      for (let step = 0; step < steps; step++) await Promise.resolve();
      await locks.close();
      await used;
    });

    const [released = Number.NaN] = backend.times('release');
    expect(backend.times('close')).toEqual([released + 5]);
  },
);
