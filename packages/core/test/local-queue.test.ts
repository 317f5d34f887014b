import {
  BackendUnavailableError,
  type Lease,
  LockLostError,
  LockTimeoutError,
} from '@holdfast/core';
import { validityMs } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { Bench, microtasks, rejection } from './support/bench.ts';
import { busy, Deferred, granted, late, unavailable } from './support/fake-backend.ts';

test('1,000 local waiters are one remote contender', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ attempts: [busy({ retryAfterMs: 50 })] });

  await bench.run(async () => {
    const waiting = Array.from({ length: 1_000 }, () => rejection(locks.acquire('k')));
    await process.sleep(980);

    expect(backend.times('contend')).toHaveLength(1);
    expect(backend.times('attempt')).toHaveLength(20);
    await locks.close();
    await Promise.all(waiting);
  });
});

test('1,000 local waiters are served in the order they came', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [late(3, granted())] });
  const served: number[] = [];

  await bench.run(async () => {
    const turns = Array.from({ length: 1_000 }, (_, index) =>
      locks.use('k', () => void served.push(index)),
    );
    await Promise.all(turns);
  });

  expect(served).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
});

test('keys do not wait for one another', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();

  await bench.run(async () => {
    await locks.acquire('k');

    expect((await locks.acquire('l')).state).toBe('held');
  });
});

test('the next one contends when the release has settled', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake({ releases: [late(70, { kind: 'released' })] });

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const next = locks.acquire('k');
    void lease.release();
    await next;

    expect(backend.times('attempt')).toEqual([0, 70]);
  });
});

test('the next one contends as soon as the lease is lost', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake({ releases: [late(70, { kind: 'not-held' })] });

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 1_000, renew: false });
    await locks.acquire('k');

    expect(backend.times('attempt')).toEqual([0, validityMs(1_000)]);
  });
});

test.each(['released', 'lost', 'collected'])(
  'when a lease was %s, one of those behind it contends, not two',
  async (how) => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 1_000, renew: how === 'collected' });
      const waiting = Array.from({ length: 3 }, () => locks.acquire('k'));
      if (how === 'released') await lease.release();
      if (how === 'collected') process.collect(lease);
      await process.sleep(1_000);

      expect(backend.times('contend')).toHaveLength(2);
      await Promise.all([locks.close(), Promise.allSettled(waiting)]);
    });
  },
);

test('the next one contends when the withdrawal of the head has settled', async () => {
  const bench = new Bench();
  const withdrawn = new Deferred<{ kind: 'clean' }>();
  const { locks, process, backend } = bench.fake({
    attempts: [busy({ retryAfterMs: 60_000 }), granted()],
    withdrawals: [withdrawn.promise],
  });

  await bench.run(async () => {
    const { abort, signal } = aborter();
    const first = rejection(locks.acquire('k', { signal }));
    const second = locks.acquire('k');
    abort('enough');
    await first;
    await process.sleep(100);
    expect(backend.times('contend')).toHaveLength(1);

    withdrawn.resolve({ kind: 'clean' });
    await second;
    expect(backend.times('contend')).toEqual([0, 100]);
  });
});

test('a waiter that gives up leaves at once, at any position, and the queue advances', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();
  const served: string[] = [];

  await bench.run(async () => {
    const held = await locks.acquire('k');
    const { abort, signal } = aborter();
    const turn = (name: string, options = {}): Promise<unknown> =>
      locks.use('k', () => void served.push(name), options).catch(() => served.push(`no ${name}`));
    const turns = [
      turn('a', { waitMs: 30 }),
      turn('b', { signal }),
      turn('c'),
      turn('d', { waitMs: 40 }),
    ];
    await process.sleep(35);
    abort('enough');
    await process.sleep(10);
    await held.release();
    await Promise.all(turns);
  });

  expect(served).toEqual(['no a', 'no b', 'no d', 'c']);
});

test('a waiter behind a local holder times out on time, with the time that the holder has left', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 10_000, renew: false });
    const error = await rejection(locks.acquire('k', { waitMs: 2_000 }));

    expect(process.nowMs).toBe(2_000);
    expect(error).toBeInstanceOf(LockTimeoutError);
    expect(error).toMatchObject({ holderRemainingMs: validityMs(10_000) - 2_000 });
  });
});

test('a waiter behind a local holder times out, whatever the outcomes before that grant', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({ attempts: [unavailable, granted()] });

  await bench.run(async () => {
    await locks.acquire('k');

    expect(await rejection(locks.acquire('k', { waitMs: 50 }))).toBeInstanceOf(LockTimeoutError);
  });
});

test('a waiter that never had its turn reports the latest outcome of the head', async () => {
  const bench = new Bench();
  const { locks } = bench.fake({
    attempts: [busy({ retryAfterMs: 500, holderRemainingMs: 9_000 }), unavailable],
  });

  await bench.run(async () => {
    const front = rejection(locks.acquire('k', { waitMs: 5_000 }));
    const [early, later] = await Promise.all([
      rejection(locks.acquire('k', { waitMs: 400 })),
      rejection(locks.acquire('k', { waitMs: 900 })),
    ]);

    expect(early).toBeInstanceOf(LockTimeoutError);
    expect(early).toMatchObject({ holderRemainingMs: 8_600 });
    expect(later).toBeInstanceOf(BackendUnavailableError);
    expect(later).toMatchObject({ cause: unavailable.cause });
    expect(await front).toBeInstanceOf(BackendUnavailableError);
  });
});

test('tryAcquire behind a local holder is null, with nothing sent', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();

  await bench.run(async () => {
    await locks.acquire('k');

    expect(await locks.tryAcquire('k')).toBeNull();
    expect(backend.times('attempt')).toHaveLength(1);
  });
});

test('tryAcquire behind a local waiter is null, with nothing sent, even while the store is unavailable', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ attempts: [unavailable] });

  await bench.run(async () => {
    const waiting = rejection(locks.acquire('k', { waitMs: 1_000 }));
    await process.sleep(1);

    expect(await locks.tryAcquire('k')).toBeNull();
    expect(backend.times('attempt')).toHaveLength(1);
    await waiting;
  });
});

test('an expired holder blocks no waiter, even if no timer could fire yet', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const first = await locks.acquire('k', { ttlMs: 1_000, renew: false });
    process.jumpWall(5_000);
    const second = await locks.tryAcquire('k');

    expect(second?.state).toBe('held');
    expect(first.state).toBe('lost');
  });
});

test.each([
  ['nobody waits', 0],
  ['somebody waits', 1],
])(
  'a caller that is aborted by a listener of the loss, during its acquire, sends nothing: %s',
  async (_, others) => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ attempts: [granted(), late(50, granted())] });

    await bench.run(async () => {
      await locks.acquire('k', { ttlMs: 1_000, renew: false });
      const waiting = Array.from({ length: others }, () => locks.acquire('k'));
      const aborting = new AbortController();
      locks.on('lost', () => aborting.abort());
      process.jumpWall(5_000);
      const refused = await rejection(locks.acquire('k', { signal: aborting.signal }));
      const leases = await Promise.all(waiting);

      expect(refused).toMatchObject({ name: 'AbortError' });
      for (const lease of leases) await lease.release();
      await microtasks(20);
      expect(bench.world.pendingTimers(process)).toBe(0);
      expect(backend.times('attempt')).toHaveLength(1 + others);
    });
  },
);

test("a waiter that starts at the holder's expiry is not rejected later because of its place in the queue", async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ attempts: [granted(), late(900, granted())] });

  await bench.run(async () => {
    await locks.acquire('k', { ttlMs: 1_000, renew: false });
    process.jumpWall(5_000);
    const second = await locks.acquire('k', { waitMs: 500, ttlMs: 30_000 });

    expect(second.state).toBe('held');
  });
});

test('a lease that expired before it was returned does not block the queue', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();

  await bench.run(async () => {
    const off = locks.on('acquired', ({ key }) => {
      off();
      process.block(60_000);
      void locks.tryAcquire(key);
    });
    expect(await rejection(locks.acquire('k'))).toBeInstanceOf(LockLostError);

    expect((await locks.acquire('k')).state).toBe('held');
  });
});

test('time in the queue counts as waiting', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ attempts: [granted(), late(5, granted())] });

  await bench.run(async () => {
    const first = await locks.acquire('k');
    const second = locks.acquire('k');
    await process.sleep(250);
    await first.release();
    await second;

    expect(bench.reported('acquired').map(({ waitedMs }) => waitedMs)).toEqual([0, 255]);
  });
});

test('where the backend has a queue of its own, each waiter has its own contender', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({
    capabilities: { queue: 'fifo' },
    attempts: [busy({ retryAfterMs: 60_000 })],
  });

  await bench.run(async () => {
    const waiting = Array.from({ length: 3 }, () => rejection(locks.acquire('k')));
    await process.sleep(1);

    expect(backend.times('contend')).toHaveLength(3);
    await locks.close();
    await Promise.all(waiting);
  });
});

test('waiting keeps the process alive, also behind a local holder, also without end; holding does not', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ attempts: [granted(), busy({ retryAfterMs: 60_000 })] });
  const awaited = (): number => bench.world.awaitedTimers(process);

  await bench.run(async () => {
    const lease: Lease = await locks.acquire('k');
    expect(awaited()).toBe(0);
    expect(bench.world.pendingTimers(process)).toBe(1);

    const waiting = rejection(locks.acquire('k', { waitMs: Number.POSITIVE_INFINITY }));
    expect(awaited()).toBe(1);

    await lease.release();
    await process.sleep(1);
    expect(awaited()).toBe(1);

    await locks.close();
    await waiting;
    expect(awaited()).toBe(0);
  });
});

function aborter(): { signal: AbortSignal; abort: (reason: string) => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
}
