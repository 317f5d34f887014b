import { getEventListeners } from 'node:events';
import type { Release } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { Bench, type FakeStation, microtasks, rejection } from './support/bench.ts';
import { busy, Deferred, granted, late, type Plan, unknown } from './support/fake-backend.ts';

const REASON = new Error('the user has gone');

function aborter(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(REASON) };
}

const moments: Record<string, Plan> = {
  'an attempt': { attempts: [late(1_000, busy())] },
  'the sleep after a busy answer': { attempts: [busy({ retryAfterMs: 60_000 })] },
  'the time before which the backend does not want to be asked': {
    attempts: [busy({ notBeforeMs: 60_000 })],
    changed: async () => {},
  },
  'a back-off': { attempts: [late(70, unknown)] },
  'the withdrawal': {
    attempts: [late(90, unknown)],
    withdrawals: [late(1_000, { kind: 'clean' })],
  },
};

test.each(Object.keys(moments))(
  'an abort during %s rejects at once, with its reason',
  async (when) => {
    const bench = new Bench();
    const { locks, process } = bench.fake(moments[when]);

    await bench.run(async () => {
      const { signal, abort } = aborter();
      const waiting = rejection(locks.acquire('k', { signal, ttlMs: 5_000, waitMs: 10_000 }));
      await process.sleep(100);
      abort();

      expect(await waiting).toBe(REASON);
      expect(process.nowMs).toBe(100);
    });
  },
);

test('an abort in the local queue rejects at once', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const { signal, abort } = aborter();
    await locks.acquire('k');
    const waiting = rejection(locks.acquire('k', { signal }));
    await process.sleep(100);
    abort();

    expect(await waiting).toBe(REASON);
    expect(process.nowMs).toBe(100);
    expect(bench.world.awaitedTimers(process)).toBe(0);
  });
});

test.each(['acquire', 'tryAcquire', 'use', 'tryUse'] as const)(
  '%s with a signal that has aborted already sends nothing',
  async (call) => {
    const bench = new Bench();
    const { locks, backend } = bench.fake();
    const signal = AbortSignal.abort(REASON);
    const calls = {
      acquire: () => locks.acquire('k', { signal }),
      tryAcquire: () => locks.tryAcquire('k', { signal }),
      use: () => locks.use('k', () => 1, { signal }),
      tryUse: () => locks.tryUse('k', () => 1, { signal }),
    };

    await bench.run(async () => {
      expect(await rejection(calls[call]())).toBe(REASON);
      expect(backend.calls).toEqual([]);
    });
  },
);

test('a grant of an aborted request is released, and reported as an orphan', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ attempts: [late(800, granted()), granted()] });

  await bench.run(async () => {
    const { signal, abort } = aborter();
    const waiting = rejection(locks.acquire('k', { signal }));
    const next = locks.acquire('k');
    await process.sleep(100);
    abort();
    await waiting;
    await next;

    expect(backend.times('release')).toEqual([800]);
    expect(bench.reported('orphan')).toMatchObject([
      { key: 'k', backend: 'fake', reason: 'aborted', outcome: 'released' },
    ]);
    expect(bench.reported('acquired')).toHaveLength(1);
  });
});

function nothing(): Promise<Release> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as a backend in JavaScript may
  return Promise.resolve(undefined as unknown as Release);
}

test('of such a grant a backend may say nothing when it is released: the next caller has its turn', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({
    attempts: [late(800, granted()), granted()],
    releases: [nothing],
  });

  await bench.run(async () => {
    const { signal, abort } = aborter();
    const waiting = rejection(locks.acquire('k', { signal }));
    const next = locks.acquire('k');
    await process.sleep(100);
    abort();
    await waiting;

    expect((await next).state).toBe('held');
    expect(bench.reported('orphan')).toMatchObject([{ outcome: 'unknown' }]);
  });
});

test('an aborted contender withdraws, but never while its attempt is on its way', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ attempts: [late(800, unknown)] });

  await bench.run(async () => {
    const { signal, abort } = aborter();
    const waiting = rejection(locks.acquire('k', { signal }));
    await process.sleep(100);
    abort();
    await waiting;
    await process.sleep(1_000);

    expect(backend.times('withdraw')).toEqual([800]);
    expect(backend.times('attempt')).toEqual([0]);
  });
});

test('the very lock of the memory store is free again after an abort that came too late', async () => {
  const bench = new Bench();
  const { locks, process } = await bench.open('p', {}, 300);

  await bench.run(async () => {
    const { signal, abort } = aborter();
    const waiting = rejection(locks.acquire('k', { signal }));
    await process.sleep(400);
    expect(bench.store.inspect('k')).toBeDefined();
    abort();
    await waiting;
    await process.sleep(1_000);

    expect(bench.store.inspect('k')).toBeUndefined();
  });
});

test('at any microtask of the abort, the grant is returned to the caller or released', async () => {
  for (let after = 0; after < 30; after++) {
    const bench = new Bench();
    const reply = new Deferred<void>();
    const { locks, process, backend } = bench.fake({
      attempts: [(call, p) => reply.promise.then(() => granted()(call, p)), granted()],
    });

    await bench.run(async () => {
      const { signal, abort } = aborter();
      const waiting = locks.acquire('k', { signal }).catch(() => undefined);
      await process.sleep(10);
      reply.resolve();
      await microtasks(after);
      abort();
      await (await waiting)?.release();
      await process.sleep(0);

      expect(backend.times('release'), `${after} microtasks later`).toHaveLength(1);
      expect((await locks.acquire('k')).state).toBe('held');
    });
  }
});

test('an abort after the lock was acquired does not affect the lease', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const { signal, abort } = aborter();
    const lease = await locks.acquire('k', { signal });
    abort();
    await process.sleep(60_000);

    expect(lease.state).toBe('held');
    expect(lease.signal.aborted).toBe(false);
  });
});

test('1,000 waiters that share a signal put one listener on it, and none when they are done', async () => {
  const bench = new Bench();
  const { locks, process }: FakeStation = bench.fake();

  await bench.run(async () => {
    const { signal, abort } = aborter();
    const lease = await locks.acquire('k', { signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);

    const waiting = Array.from({ length: 1_000 }, (_, i) =>
      locks.use(`k${i % 2}`, () => process.sleep(1), { signal }),
    );
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await Promise.all(waiting);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);

    const more = Array.from({ length: 1_000 }, () => rejection(locks.acquire('k', { signal })));
    abort();
    expect(new Set(await Promise.all(more))).toEqual(new Set([REASON]));
    await lease.release();
  });
});

test('a waiter that shares a signal is aborted although another waiter has finished with it', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({
    attempts: [granted(), busy({ retryAfterMs: 60_000 })],
  });

  await bench.run(async () => {
    const { signal, abort } = aborter();
    const done = locks.acquire('k', { signal });
    const waiting = rejection(locks.acquire('l', { signal, waitMs: 5_000 }));
    await done;
    await process.sleep(100);
    abort();

    expect(await waiting).toBe(REASON);
    expect(process.nowMs).toBe(100);
  });
});

test('a listener of `contended` that aborts the wait leaves nothing behind', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const { signal, abort } = aborter();
    await locks.acquire('k');
    locks.on('contended', abort);

    expect(await rejection(locks.acquire('k', { signal }))).toBe(REASON);
    expect(bench.world.awaitedTimers(process)).toBe(0);
  });
});
