import { LockLostError, LockTimeoutError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { Bench } from './support/bench.ts';

test('two processes take turns', async () => {
  const bench = new Bench();
  await bench.world.run(async () => {
    const a = await bench.open('a', {}, 5);
    const b = await bench.open('b', {}, 5);
    const lease = await a.locks.acquire('k');
    const waiting = b.locks.acquire('k', { waitMs: 5000 });
    await a.process.sleep(1000);
    expect(lease.state).toBe('held');
    expect(await lease.release()).toEqual({ kind: 'released' });
    const second = await waiting;
    expect(second.fencingToken).toBeGreaterThan(lease.fencingToken as bigint);
    await expect(a.locks.acquire('k', { waitMs: 500 })).rejects.toThrow(LockTimeoutError);
    await b.process.sleep(100_000);
    expect(second.state).toBe('held');
    b.process.pause(31_000);
    await b.process.sleep(1);
    expect(() => second.assertHeld()).toThrow(LockLostError);
    expect(second.signal.aborted).toBe(true);
  });
  expect(bench.events.map((e) => e.type)).toContain('lost');
  await bench.world.settle();
  expect(bench.world.pendingTimers()).toBe(0);
});
