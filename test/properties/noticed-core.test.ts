import {
  type Backend,
  CapabilityError,
  type Grant,
  type Host,
  InvalidOptionError,
  MemoryStore,
  OutcomeUnknownError,
  openMemory,
  validityMs,
} from '@holdfast/core';
import { type SimProcess, World } from '@holdfast/sim';
import { describe, expect, test } from 'vitest';
import { Alarms } from '../../packages/core/src/alarms.ts';
import { createLocks } from '../../packages/core/src/locks.ts';
import { ttlMsFor } from '../../packages/core/src/validity.ts';
import { Bench, rejection } from '../../packages/core/test/support/bench.ts';
import {
  busy,
  granted,
  grantedFixed,
  grantedFor,
  late,
  renewed,
  unknown,
} from '../../packages/core/test/support/fake-backend.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/mutation.md. */

const idle = (): void => {};

/** A signal that counts who listens to it. */
function heardSignal(): { readonly signal: AbortSignal; readonly listeners: Set<unknown> } {
  const { signal } = new AbortController();
  const listeners = new Set<unknown>();
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);
  return { signal, listeners };
}

test('the shortest ttl that is valid for so long is that long, in whole ms', () => {
  for (const ms of [1, 97, 98, 100.5, 487, 1_000, 29_698, 59_401.25]) {
    const ttlMs = ttlMsFor(ms);
    expect(Number.isInteger(ttlMs)).toBe(true);
    expect(validityMs(ttlMs)).toBeGreaterThanOrEqual(ms - 1e-9);
    expect(validityMs(ttlMs - 1)).toBeLessThan(ms);
  }
});

describe('a lease that is dropped', () => {
  test('is noticed from a quarter of its ttl on, and its renewal stops', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_001);
      process.collect(lease);
      await process.sleep(1_000);
    });

    expect(bench.told('leaked')).toHaveLength(1);
    expect(backend.times('renew')).toEqual([]);
  });

  test('costs a collector nothing once it has been released', async () => {
    const bench = new Bench();
    const { locks, process } = bench.fake();
    let watched = 0;
    const onCollected = process.runtime.onCollected.bind(process.runtime);
    process.runtime.onCollected = (target, run) => {
      watched += 1;
      const cancel = onCollected(target, run);
      return () => {
        watched -= 1;
        cancel();
      };
    };

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_001);
      expect(watched).toBe(1);
      await lease.release();
    });

    expect(watched).toBe(0);
  });
});

function told(
  onLost: NonNullable<Grant['onLost']>,
): Bench & { locks: ReturnType<Bench['fake']>['locks'] } {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [granted({ onLost })] });
  return Object.assign(bench, { locks });
}

describe('a grant that tells of its loss', () => {
  test('is listened to no longer when the lease has been released', async () => {
    let listens = 0;
    const bench = told(() => {
      listens += 1;
      return () => void (listens -= 1);
    });

    await bench.run(async () => {
      const lease = await bench.locks.acquire('k');
      expect(listens).toBe(1);
      await lease.release();
    });

    expect(listens).toBe(0);
  });

  test('is listened to no longer when it tells at once', async () => {
    let listens = 0;
    const bench = told((listener) => {
      listens += 1;
      listener();
      return () => void (listens -= 1);
    });

    await bench.run(async () => {
      await rejection(bench.locks.acquire('k'));
    });

    expect(listens).toBe(0);
  });
});

describe('an extension', () => {
  test('to what is left anyway asks nobody', async () => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 3_000 });
      await lease.extend(3_000);
      expect(backend.times('renew')).toEqual([]);
    });
  });

  test('that is no number is refused by an error that names key and backend', async () => {
    const bench = new Bench();
    const { locks } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('orders/42');
      await expect(lease.extend(Number.NaN)).rejects.toMatchObject({
        key: 'orders/42',
        backend: 'fake',
      });
    });
  });
});

test('a lease is held to its last fraction of a millisecond', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const lease = await locks.acquire('k', { ttlMs: 1_000, renew: false });
    await process.sleep(validityMs(1_000) - 0.5);

    expect(lease.remainingMs()).toBeCloseTo(0.5, 3);
    expect(() => lease.assertHeld()).not.toThrow();
  });
});

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

test('a job that fails has given its key back by the time that anybody hears of it', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ releases: [late(50, { kind: 'released' })] });

  await bench.run(async () => {
    const from = process.nowMs;
    await rejection(locks.use('k', () => Promise.reject(new Error('the job'))));
    expect(process.nowMs - from).toBe(50);
  });
});

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

function counted(): {
  world: World;
  alarms: Alarms;
  nowMs: number;
  timers: () => number;
  process: SimProcess;
} {
  const world = new World();
  const process = world.process('p');
  let timers = 0;
  const timer = process.runtime.timer.bind(process.runtime);
  process.runtime.timer = (ms, run, options) => {
    timers += 1;
    return timer(ms, run, options);
  };
  const nowMs = process.runtime.now().monotonicMs;
  const alarms = new Alarms(process.runtime, { awaited: false });
  return { world, process, alarms, nowMs, timers: () => timers };
}

describe('an alarm', () => {
  test('that becomes the first makes no timer where an earlier one is armed', () => {
    const { alarms, nowMs, timers } = counted();
    const cancel = alarms.at(nowMs + 10, () => undefined);
    alarms.at(nowMs + 30, () => undefined);
    cancel();
    alarms.at(nowMs + 20, () => undefined);

    expect(timers()).toBe(1);
  });

  test('rings after all that were due before it, however late the timer is', async () => {
    const { world, process, alarms, nowMs } = counted();
    const rung: number[] = [];
    for (const ms of [50, 10, 40, 20, 30, 25]) alarms.at(nowMs + ms, () => rung.push(ms));

    await world.run(async () => process.block(100));
    await world.settle();

    expect(rung).toEqual([10, 20, 25, 30, 40, 50]);
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

async function opened(
  latencyMs = 0,
): Promise<{ world: World; backend: Backend; host: Host; timers: (boolean | undefined)[] }> {
  const world = new World();
  const process = world.process('p');
  const timers: (boolean | undefined)[] = [];
  const timer = process.runtime.timer.bind(process.runtime);
  process.runtime.timer = (ms, run, options) => {
    timers.push(options?.awaited);
    return timer(ms, run, options);
  };
  const host: Host = { runtime: process.runtime, label: 'p', emit: () => undefined };
  const latency = { requestMs: latencyMs, replyMs: latencyMs };
  const link = {
    call: <T>(label: string, effect: () => T) => process.call(label, effect, latency),
    deliver: (label: string, run: () => void) => process.deliver(label, run, latencyMs),
  };
  const backend = await openMemory(latencyMs > 0 ? { link } : {}, host);
  return { world, backend, host, timers };
}

describe('the store in memory', () => {
  test('tells everybody who listens, though somebody else has left', () => {
    const store = new MemoryStore(() => 0);
    const heard: string[] = [];
    const leave = store.subscribe('k', () => heard.push('a'));
    store.subscribe('k', () => heard.push('b'));
    leave();
    store.acquire('k', 'c1:1:p', 1_000);

    store.force('k');

    expect(heard).toEqual(['b']);
  });

  test('refuses a ttl that is too short', async () => {
    const { backend } = await opened();

    expect(() => backend.contend({ key: 'k', contender: 'c', ttlMs: 5 })).toThrow(
      InvalidOptionError,
    );
  });

  test('says how long the holder has left, which is when to ask again', async () => {
    const { backend } = await opened();
    const contend = (contender: string): ReturnType<Backend['contend']> =>
      backend.contend({ key: 'k', contender, ttlMs: 1_000 });
    await contend('c1').attempt(Number.POSITIVE_INFINITY);

    expect(await contend('c2').attempt(Number.POSITIVE_INFINITY)).toEqual({
      kind: 'busy',
      holderRemainingMs: 1_000,
      retryAfterMs: 1_000,
    });
  });

  test('is asked to undo what it granted too late, and a withdrawal waits for that', async () => {
    const { world, backend, timers } = await opened(60);

    await world.run(async () => {
      const contender = backend.contend({ key: 'k', contender: 'c', ttlMs: 1_000 });
      expect((await contender.attempt(Number.POSITIVE_INFINITY)).kind).toBe('unknown');
      timers.splice(0);
      // The grant comes 20 ms after the deadline, and its undo takes 120 more: longer than a call may.
      expect((await contender.withdraw()).kind).toBe('unknown');
      expect(timers).not.toContain(false);
      await new Promise<void>((done) => world.after(100, done));
      expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    });
  });

  test('answers a withdrawal in time where it can', async () => {
    const { world, backend } = await opened(26);

    await world.run(async () => {
      const contender = backend.contend({ key: 'k', contender: 'c', ttlMs: 500 });
      expect((await contender.attempt(Number.POSITIVE_INFINITY)).kind).toBe('unknown');
      await new Promise<void>((done) => world.after(10, done));
      expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    });
  });

  test('has nothing to wait for when nothing is in doubt', async () => {
    const { backend, timers } = await opened();

    await backend.contend({ key: 'k', contender: 'c' }).withdraw();

    expect(timers).toEqual([]);
  });
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
