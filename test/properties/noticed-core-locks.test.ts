import {
  CapabilityError,
  InvalidOptionError,
  OutcomeUnknownError,
  openMemory,
} from '@holdfast/core';
import { World } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { createLocks } from '../../packages/core/src/locks.ts';
import { Bench, rejection } from '../../packages/core/test/support/bench.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

const idle = (): void => {};

test('a backend that breaks its contract is named, with the key', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();
  backend.contend = () => {
    throw new Error('it breaks');
  };

  await bench.run(async () => {
    const error = await rejection(locks.acquire('orders/42', { ttlMs: 5_000 }));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).toMatchObject({ key: 'orders/42', backend: 'fake', untilMs: 5_000 });
  });
});

describe('a lock that is bound to a key', () => {
  test('refuses an option that there is not, and names the key', () => {
    const { locks } = new Bench().fake();
    const options: object = { ttl: 5 };

    expect(() => locks.for('orders/42', options)).toThrow(InvalidOptionError);
    expect(() => locks.for('orders/42', options)).toThrow(
      expect.objectContaining({ key: 'orders/42', backend: 'fake' }),
    );
  });
});

test('what a backend cannot do is refused by an error that names key and backend', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ capabilities: { lease: 'session' } });
  const where = { key: 'orders/42', backend: 'fake' };

  await bench.run(async () => {
    await expect(locks.inspect('orders/42')).rejects.toMatchObject(where);
    await expect(locks.forceRelease('orders/42')).rejects.toMatchObject(where);
    expect(() => locks.for('orders/42', { ttlMs: 5_000 })).toThrow(
      expect.objectContaining({ ...where, code: new CapabilityError('').code }),
    );
  });
});

test('a backend is closed within what is left of the time, which may be none', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();
  const limits: unknown[] = [];
  backend.close = async (options?: object) => void limits.push(options);

  await bench.run(async () => {
    await locks.close({ timeoutMs: 0 });
  });

  expect(limits).toEqual([{ timeoutMs: 0 }]);
});

test('closing what does nothing waits for nothing', async () => {
  const world = new World();
  const { runtime } = world.process('p');
  let timers = 0;
  const timer = runtime.timer.bind(runtime);
  runtime.timer = (ms, run, options) => {
    timers += 1;
    return timer(ms, run, options);
  };
  const host = { runtime, label: 'p', emit: idle, on: () => idle };

  await createLocks(await openMemory({}, host), host).close();

  expect(timers).toBe(0);
});
