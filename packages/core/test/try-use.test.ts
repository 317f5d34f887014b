import { BackendUnavailableError, LockLostError } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';
import { busy, unavailable, unknown } from './support/fake-backend.ts';

describe('tryUse', () => {
  test('runs nothing when the key is taken', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [busy()] });

    await bench.run(async () => {
      expect(await locks.tryUse('k', () => 1)).toEqual({ ran: false });
    });
  });

  test('attempts once, and waits for nothing, also for a key that is to be kept', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ attempts: [busy()] });

    await bench.run(async () => {
      expect(await locks.tryUse('k', () => 1, { keepMs: 60_000 })).toEqual({ ran: false });
      expect(process.nowMs).toBe(0);
      expect(backend.times('attempt')).toEqual([0]);
    });
  });

  test('runs the job, releases, and returns its value', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const run = await locks.tryUse('k', () => process.sleep(10).then(() => 42));

      expect(run).toEqual({ ran: true, value: 42 });
      expect(backend.times('release')).toEqual([10]);
    });
  });

  test('distinguishes an unavailable store from a key that is taken', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [unavailable] });

    await bench.run(async () => {
      expect(await rejection(locks.tryUse('k', () => 1))).toBeInstanceOf(BackendUnavailableError);
    });
  });

  test('reports a loss, with the value', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [unknown] });

    await bench.run(async () => {
      const options = { ttlMs: 3_000, keepMs: 60_000 };
      const run = locks.tryUse('k', () => process.sleep(5_000).then(() => 42), options);
      const error = await rejection(run);

      expect(error).toBeInstanceOf(LockLostError);
      expect(error).toMatchObject({ result: 42 });
      expect(backend.times('release')).toHaveLength(1);
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });
});
