import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import {
  busy,
  Deferred,
  granted,
  grantedFor,
  late,
  unavailable,
  unknown,
} from './support/fake-backend.ts';

/** Never wakes a waiter. */
const never = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

describe('while another client holds the key', () => {
  test('a wake-up cuts the sleep short', async () => {
    const bench = new Bench();
    const freed = new Deferred<void>();
    const { locks, process, backend } = bench.fake({
      attempts: [busy({ retryAfterMs: 2_000 }), granted()],
      changed: () => freed.promise,
    });

    await bench.run(async () => {
      void process.sleep(300).then(() => freed.resolve());
      await locks.acquire('k');

      expect(backend.times('attempt')).toEqual([0, 300]);
    });
  });

  test('a wake-up does not shorten notBeforeMs', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({
      attempts: [busy({ retryAfterMs: 2_000, notBeforeMs: 700 }), granted()],
      changed: async () => {},
    });

    await bench.run(async () => {
      await locks.acquire('k');

      expect(backend.times('attempt')).toEqual([0, 700]);
    });
  });

  test('a listener that remains at the end of a wait is aborted, although its wake-ups came by themselves', async () => {
    const bench = new Bench();
    const signals: AbortSignal[] = [];
    const taken = Array.from({ length: 40 }, () => busy({ retryAfterMs: 2_000 }));
    const { locks } = bench.fake({
      attempts: [...taken, granted()],
      changed: async (signal) => void signals.push(signal),
    });

    await bench.run(async () => {
      await locks.acquire('k');
    });

    expect(signals).toHaveLength(40);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  });

  test('a backend that listens until the abort does not accumulate listeners', async () => {
    const bench = new Bench();
    const listening = new Set<AbortSignal>();
    const heard: number[] = [];
    let listeners = 0;
    const { locks } = bench.fake({
      attempts: [...Array.from({ length: 100 }, () => busy({ retryAfterMs: 2_000 })), granted()],
      changed: async (signal) => {
        heard.push(++listeners);
        listening.add(signal);
        signal.addEventListener('abort', () => void listeners--);
      },
    });

    await bench.run(async () => {
      await locks.acquire('k');
    });

    expect(Math.max(...heard)).toBeLessThanOrEqual(10);
    expect(listening.size).toBeLessThan(20);
    expect(listeners).toBe(0);
  });

  test('a waiter whose wake-up is lost polls after retryAfterMs', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({
      attempts: [busy({ retryAfterMs: 2_000 }), granted()],
      changed: never,
    });

    await bench.run(async () => {
      await locks.acquire('k');

      expect(backend.times('attempt')).toEqual([0, 2_000]);
    });
  });

  test('a backend that wakes its waiters and names no time is not polled', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [busy()], changed: never });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { waitMs: 600_000 }));

      expect(backend.times('attempt')).toEqual([0, 598_000]);
    });
  });

  test('a wait without end polls every hour', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({
      attempts: [busy(), busy(), granted()],
      changed: never,
    });

    await bench.run(async () => {
      await locks.acquire('k', { waitMs: Number.POSITIVE_INFINITY });

      expect(backend.times('attempt')).toEqual([0, 3_600_000, 7_200_000]);
    });
  });

  test('a wake-up that has come already is followed at once', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({
      attempts: [busy({ retryAfterMs: 2_000 }), granted()],
      changed: async () => {},
    });

    await bench.run(async () => {
      await locks.acquire('k');

      expect(backend.times('attempt')).toEqual([0, 0]);
    });
  });

  test('a backend that does neither is polled every 100 ms, plus or minus half of it', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [busy()] });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { waitMs: 8_000 }));

      const polls = gaps(backend.times('attempt')).slice(0, -1);
      expect(polls.length).toBeGreaterThan(40);
      expect(Math.min(...polls)).toBeGreaterThanOrEqual(50);
      expect(Math.max(...polls)).toBeLessThanOrEqual(150.001);
      expect(new Set(polls).size).toBeGreaterThan(20);
    });
  });

  test('a backend whose wake-ups fail is polled, not in a hot loop', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({
      attempts: [busy()],
      changed: () => Promise.reject(new Error('no subscription')),
    });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { waitMs: 1_000 }));

      expect(backend.times('attempt').length).toBeLessThan(22);
      expect(backend.times('attempt').length).toBeGreaterThan(6);
    });
  });

  test('a backend with retryAfterMs 0 is polled once a millisecond at most', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [busy({ retryAfterMs: 0 })] });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { waitMs: 1_000 }));

      expect(Math.min(...gaps(backend.times('attempt')))).toBeGreaterThanOrEqual(1);
    });
  });
});

describe('while the store does not reply', () => {
  test('a waiter backs off, twice as long each time up to 2 s, and no wake-up cuts that', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [unknown], changed: async () => {} });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { waitMs: 60_000 }));

      const pauses = gaps(backend.times('attempt'));
      for (const [index, pause] of pauses.slice(0, -1).entries()) {
        const longest = Math.min(2_000, 50 * 2 ** index);
        expect(pause).toBeGreaterThanOrEqual(longest / 2);
        expect(pause).toBeLessThanOrEqual(longest + 0.001);
      }
      expect(pauses.length).toBeGreaterThan(25);
    });
  });

  test('the back-off is spread from half of it to the whole', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [unavailable] });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { waitMs: 100_000 }));

      const longest = gaps(backend.times('attempt')).slice(6, -1);
      expect(longest.length).toBeGreaterThan(50);
      expect(Math.min(...longest)).toBeLessThan(1_100);
      expect(Math.max(...longest)).toBeGreaterThan(1_900);
    });
  });

  test('a busy outcome ends the back-off', async () => {
    const bench = new Bench();
    const failures = Array.from({ length: 10 }, () => unavailable);
    const { locks, backend } = bench.fake({
      attempts: [...failures, busy({ retryAfterMs: 1 }), unavailable, granted()],
    });

    await bench.run(async () => {
      await locks.acquire('k', { waitMs: 60_000 });

      expect(gaps(backend.times('attempt')).at(-1)).toBeLessThanOrEqual(50);
    });
  });
});

const idle = (): void => {};

/** A signal that counts who listens to it. */
function heardSignal(): { readonly signal: AbortSignal; readonly listeners: Set<unknown> } {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
  return { signal, listeners };
}

describe('waiting', () => {
  test('for one millisecond is long enough for two tries', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake({ attempts: [busy({ retryAfterMs: 0 })] });

    await bench.run(async () => {
      await rejection(locks.acquire('k', { waitMs: 1 }));
    });

    expect(backend.times('attempt')).toHaveLength(2);
  });

  test('is not cut before notBeforeMs, not even by a fraction', async () => {
    const bench = new Bench();
    let wake = idle;
    const changed = (): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
      });
    const attempts = [busy({ notBeforeMs: 10, retryAfterMs: 1_000 }), granted()];
    const { locks, process, backend } = bench.fake({ attempts, changed });

    await bench.run(async () => {
      const acquiring = locks.acquire('k');
      await process.sleep(9.5);
      wake();
      await (await acquiring).release();
    });

    const [first = 0, second = 0] = backend.times('attempt');
    expect(second - first).toBeGreaterThanOrEqual(10);
  });

  test('that has ended by itself aborts its signal before the next attempt', async () => {
    const bench = new Bench();
    const signals: AbortSignal[] = [];
    const changed = (signal: AbortSignal): Promise<void> => {
      signals.push(signal);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    const aborted: boolean[] = [];
    const { locks } = bench.fake({
      changed,
      attempts: [
        busy({ retryAfterMs: 10 }),
        (call, process) => {
          aborted.push(...signals.map((signal) => signal.aborted));
          return granted()(call, process);
        },
      ],
    });

    await bench.run(async () => {
      await (await locks.acquire('k')).release();
    });

    expect(aborted).toEqual([true]);
  });

  test.each([
    ['is turned away', 0],
    ['gives up', 50],
  ])('behind a holder leaves no listener on its signal when it %s', async (_, waitMs) => {
    const bench = new Bench();
    const { locks } = bench.fake();
    const { signal, listeners } = heardSignal();

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      await rejection(locks.acquire('k', { waitMs, signal }));
      expect(listeners.size).toBe(0);
      await lease.release();
    });
  });

  test('that was aborted contends no more after a useless grant', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ attempts: [late(50, grantedFor(1))] });
    const giving = new AbortController();

    await bench.run(async () => {
      const acquiring = rejection(locks.acquire('k', { signal: giving.signal }));
      await process.sleep(10);
      giving.abort();
      await acquiring;
      await process.sleep(1_000);
    });

    expect(backend.times('contend')).toHaveLength(1);
  });

  test('under use lasts as long as the default of the locks', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({}, { waitMs: 50 });

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const from = process.nowMs;
      await rejection(locks.use('k', () => undefined));
      expect(process.nowMs - from).toBe(50);
      await lease.release();
    });
  });
});
