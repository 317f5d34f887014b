import { describe, expect, test } from 'vitest';
import { Bench, rejection } from '../../packages/core/test/support/bench.ts';
import { busy, granted, grantedFor, late } from '../../packages/core/test/support/fake-backend.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

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

  test('is not cut before the backend wants to be asked again, not even by a fraction', async () => {
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

  test('that has ended by itself is told to the backend before it is asked again', async () => {
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
  ])('behind somebody who holds leaves nothing on its signal when it %s', async (_, waitMs) => {
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

  test('that was given up contends no more when a grant comes too late to be of use', async () => {
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

  test('under use lasts as long as the locks say', async () => {
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
