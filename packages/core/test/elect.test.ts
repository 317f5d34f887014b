import { InvalidOptionError, LockError } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { refused, unavailable, unknown } from './support/fake-backend.ts';

describe('elect', () => {
  test('has one leader at a time, and each process leads in the end', async () => {
    const bench = new Bench();
    const stop = new AbortController();
    const terms: string[] = [];
    let leaders = 0;
    let most = 0;

    await bench.run(async () => {
      const stations = await Promise.all(['a', 'b', 'c'].map((name) => bench.open(name, {}, 5)));
      const elections = stations.map(({ locks, process }) =>
        locks.elect(
          'leader',
          async ({ signal }) => {
            most = Math.max(most, ++leaders);
            terms.push(process.name);
            await process.sleep(1_000);
            expect(signal.aborted).toBe(false);
            leaders -= 1;
          },
          { signal: stop.signal },
        ),
      );
      await stations[0]?.process.sleep(60_000);
      stop.abort();
      await Promise.all(elections);
    });

    expect(most).toBe(1);
    expect(new Set(terms)).toEqual(new Set(['a', 'b', 'c']));
  });

  test('campaigns again only after a body that goes on after a loss has settled', async () => {
    const bench = new Bench();
    const stop = new AbortController();

    await bench.run(async () => {
      const { locks, process } = await bench.open('a');
      const other = await bench.open('b');
      const terms: (readonly [from: number, to: number])[] = [];
      const election = locks.elect(
        'leader',
        async () => {
          const fromMs = process.nowMs;
          await process.sleep(10_000);
          terms.push([fromMs, process.nowMs]);
          if (terms.length === 2) stop.abort();
        },
        { signal: stop.signal, ttlMs: 3_000 },
      );
      await process.sleep(100);
      await other.locks.forceRelease('leader');
      // Another process leads before the body has noticed.
      await other.locks.use('leader', () => other.process.sleep(2_000));
      await election;

      const [first, second] = terms;
      expect(first).toEqual([0, 10_000]);
      expect(second?.[0]).toBeGreaterThan(10_000);
      expect(bench.reported('lost')).toHaveLength(1);
      expect(bench.reported('warning')).toEqual([]);
    });
  });

  test('warns of a body that throws, and pauses longer each time, up to 30 s', async () => {
    const bench = new Bench();
    const stop = new AbortController();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      let terms = 0;
      await locks.elect(
        'leader',
        async () => {
          await process.sleep(1);
          if (++terms === 15) stop.abort();
          else throw new Error(`term ${terms} failed`);
        },
        { signal: stop.signal },
      );
    });

    const starts = backend.times('attempt');
    const pauses = starts.slice(1).map((at, n) => at - (starts[n] ?? 0));
    expect(pauses).toHaveLength(14);
    for (const [n, ms] of pauses.entries()) {
      const most = Math.min(30_000, 100 * 2 ** (n + 1));
      expect(ms).toBeGreaterThanOrEqual(most / 2);
      expect(ms).toBeLessThanOrEqual(most + 2);
    }
    expect(bench.reported('warning')[0]).toMatchObject({
      code: 'LEADER_THREW',
      key: 'leader',
      message: expect.stringContaining('term 1 failed'),
    });
    expect(bench.reported('warning')).toHaveLength(14);
    expect(backend.times('release')).toHaveLength(15);
  });

  test('does not warn of what a body throws because it was told to stop', async () => {
    const bench = new Bench();
    const stop = new AbortController();

    await bench.run(async () => {
      const { locks, process } = await bench.open('a');
      let terms = 0;
      const election = locks.elect(
        'leader',
        async ({ signal }) => {
          terms += 1;
          if (terms === 2) stop.abort();
          while (!signal.aborted && !stop.signal.aborted) await process.sleep(10);
          throw new Error('stopped');
        },
        { signal: stop.signal, maxHoldMs: 500 },
      );
      await election;

      expect(terms).toBe(2);
      expect(bench.reported('lost')).toMatchObject([{ reason: 'max-hold' }]);
      expect(bench.reported('warning')).toEqual([]);
    });
  });

  test('ends while it waits, and leaves nothing', async () => {
    const bench = new Bench();
    const stop = new AbortController();

    await bench.run(async () => {
      const a = await bench.open('a');
      const b = await bench.open('b');
      const lease = await a.locks.acquire('leader');
      const election = b.locks.elect('leader', () => expect.unreachable(), {
        signal: stop.signal,
      });
      await b.process.sleep(100_000);
      stop.abort();
      await election;

      expect(bench.reported('orphan')).toEqual([]);
      await lease.release();
    });
  });

  test('ends when the locks are closed, once the body has settled', async () => {
    const bench = new Bench();

    await bench.run(async () => {
      const { locks, process } = await bench.open('a');
      let endedMs = 0;
      const election = locks.elect('leader', async ({ signal }) => {
        while (!signal.aborted) await process.sleep(10);
        await process.sleep(50);
        endedMs = process.nowMs;
        throw signal.reason;
      });
      await process.sleep(1_000);
      const closing = locks.close();
      await election;

      expect(endedMs).toBe(process.nowMs);
      expect(await closing).toEqual({ stillHeld: [] });
      expect(bench.reported('warning')).toEqual([]);
      expect(await rejection(locks.elect('leader', () => 1))).toMatchObject({ code: 'CLOSED' });
    });
  });

  test('ends in a pause when the locks are closed', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();

    await bench.run(async () => {
      const election = locks.elect('leader', () => {
        throw new Error('never');
      });
      await process.sleep(100_000);
      void locks.close();
      await election;
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });

  test('waits for a store that does not answer', async () => {
    const bench = new Bench();
    const stop = new AbortController();
    const { locks } = bench.fake({ attempts: [unavailable, unknown, unavailable] });

    await bench.run(async () => {
      const election = locks.elect('leader', () => expect.unreachable(), { signal: stop.signal });
      await bench.world.process('q').sleep(1_000_000);
      stop.abort();
      await election;
    });
  });

  test('rejects where the key can never be acquired', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [refused] });

    await bench.run(async () => {
      expect(await rejection(locks.elect('leader', () => 1))).toBeInstanceOf(LockError);
    });
  });

  test.each([
    ['waitMs', { waitMs: 5 }],
    ['renew', { renew: false }],
    ['ttlMs', { ttlMs: 5 }],
  ])('refuses %s before anything is sent', async (_name, options) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const error = await rejection(locks.elect('leader', () => 1, Object(options)));
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(backend.calls).toEqual([]);
    });
  });
});
