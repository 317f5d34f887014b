import { inspect } from 'node:util';
import { InvalidOptionError, LockLostError } from '@holdfast/core';
import { validityMs } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { Bench, rejection } from './support/bench.ts';

test('every part of a lease may be destructured', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const { key, owner, fencingToken, state, signal, assertHeld, remainingMs, extend, release } =
      lease;
    expect([key, owner, fencingToken, state]).toEqual(['k', lease.owner, 1n, 'held']);
    expect(() => assertHeld()).not.toThrow();
    await extend(60_000);
    expect(remainingMs()).toBe(validityMs(60_000));

    expect(await release()).toEqual({ kind: 'released' });
    expect(() => assertHeld()).toThrow(LockLostError);
    expect(signal.aborted).toBe(false);
    const { [Symbol.asyncDispose]: dispose } = await locks.acquire('k');
    await dispose();
    expect(backend.times('release')).toHaveLength(2);
  });
});

test('a lease prints its key, state, time, token and backend, and not its owner value', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('orders/42');
    await process.sleep(1_000);
    const remainingMs = validityMs(30_000) - 1_000;
    const shown = `Lease {\n  key: 'orders/42',\n  state: 'held',\n  remainingMs: ${remainingMs},\n  fencingToken: 1n,\n  backend: 'fake'\n}`;

    expect(inspect(lease)).toBe(shown);
    expect(inspect({ lease }, { breakLength: Number.POSITIVE_INFINITY })).not.toContain(
      lease.owner.split(':')[0],
    );
    await lease.release();
    expect(inspect(lease)).toMatch(/state: 'released',\s+remainingMs: 0/);
  });
});

test.each([undefined, null, {}, 'job'])(
  'a body that is %o is refused before anything is sent',
  async (body) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const lock = locks.for('k');
      const calls = [
        () => locks.use('k', body as never),
        () => locks.tryUse('k', body as never),
        () => lock.use(body as never),
        () => lock.tryUse(body as never),
      ];
      for (const call of calls) {
        const error = await rejection(call());
        expect(error).toBeInstanceOf(InvalidOptionError);
        expect(error).toMatchObject({ key: 'k', backend: 'fake' });
      }
      expect(backend.calls).toEqual([]);
    });
  },
);
