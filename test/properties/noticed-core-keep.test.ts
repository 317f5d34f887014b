import { describe, expect, test } from 'vitest';
import { Bench, rejection } from '../../packages/core/test/support/bench.ts';
import {
  grantedFixed,
  late,
  renewed,
  unknown,
} from '../../packages/core/test/support/fake-backend.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

test('a job that fails has given its key back by the time that anybody hears of it', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ releases: [late(50, { kind: 'released' })] });

  await bench.run(async () => {
    const from = process.nowMs;
    await rejection(locks.use('k', () => Promise.reject(new Error('the job'))));
    expect(process.nowMs - from).toBe(50);
  });
});

describe('a key that is kept after its job', () => {
  test('is told of once, though its renewal finds it gone when its time is over', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake({ renewals: [late(300, { kind: 'lost' })] });

    await bench.run(async () => {
      const trying = locks.tryUse('k', () => undefined, { ttlMs: 200, keepMs: 250 });
      await process.sleep(1_000);
      await trying;
    });

    expect(bench.told('released')).toHaveLength(1);
  });

  test('keeps the process alive while a renewal in doubt is asked for again', async () => {
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

  test('is not asked for where nothing is to be kept', async () => {
    const bench = new Bench();
    const { locks } = bench.fake({ attempts: [grantedFixed()] });

    await bench.run(async () => {
      expect(await locks.tryUse('k', () => 7)).toEqual({ ran: true, value: 7 });
    });
  });
});
