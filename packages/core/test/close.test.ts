import { LockError, LockLostError } from '@holdfast/core';
import { openMemory } from '@holdfast/core/backend';
import { World } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { createLocks } from '../src/locks.ts';
import { Bench, microtasks, rejection } from './support/bench.ts';
import { busy, Deferred, granted, late } from './support/fake-backend.ts';

function order(calls: readonly { readonly what: string }[]): string[] {
  return calls.map(({ what }) => what).filter((what) => what === 'release' || what === 'close');
}

test('rejects waiters, at the head of the queue and behind it', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ attempts: [busy({ retryAfterMs: 60_000 })] });

  await bench.run(async () => {
    const waiting = Array.from({ length: 3 }, () => rejection(locks.acquire('k')));
    await process.sleep(10);
    await locks.close();

    for (const error of await Promise.all(waiting)) {
      expect(error).toBeInstanceOf(LockError);
      expect(error).toMatchObject({ code: 'CLOSED', key: 'k', backend: 'fake' });
    }
    expect(bench.world.pendingTimers()).toBe(0);
  });
});

test('afterwards every call rejects, and nothing is sent', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();

  await bench.run(async () => {
    const lock = locks.for('k');
    await locks.close();
    const errors = await Promise.all(
      [
        locks.acquire('k'),
        locks.tryAcquire('k'),
        locks.use('k', () => 1),
        locks.tryUse('k', () => 1),
        locks.inspect('k'),
        locks.forceRelease('k'),
        locks.health(),
        lock.acquire(),
      ].map((call) => rejection(call)),
    );

    for (const error of errors) expect(error).toMatchObject({ code: 'CLOSED' });
    expect(backend.calls.map(({ what }) => what)).toEqual(['close']);
  });
});

test('signals holders, and takes nothing away: the holder releases its key, then connections close', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ releases: [late(50, { kind: 'released' })] });

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const { signal } = lease;
    const closing = locks.close();
    await process.sleep(0);
    expect(signal.reason).toMatchObject({ code: 'CLOSING', key: 'k', backend: 'fake' });
    expect(signal.reason).not.toBeInstanceOf(LockLostError);
    await process.sleep(300);
    expect(lease.state).toBe('held');
    await lease.release();

    expect(await closing).toEqual({ stillHeld: [] });
    expect(order(backend.calls)).toEqual(['release', 'close']);
    expect(backend.times('close')).toEqual([350]);
    expect(bench.reported('lost')).toEqual([]);
  });
});

test('waits for grants of aborted requests, and for releases in flight', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({
    attempts: [granted(), late(300, granted())],
    releases: [late(200, { kind: 'released' })],
  });

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    void lease.release();
    const orphan = rejection(locks.acquire('l'));
    await process.sleep(0);
    await locks.close();
    await orphan;

    expect(order(backend.calls)).toEqual(['release', 'release', 'close']);
    expect(backend.times('close')).toEqual([500]);
    expect(bench.reported('orphan')).toMatchObject([{ key: 'l', reason: 'closed' }]);
  });
});

test('waits for a release on its way', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake({ releases: [late(200, { kind: 'released' })] });

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    const releasing = lease.release();
    await locks.close();

    expect(backend.times('close')).toEqual([200]);
    expect(await releasing).toEqual({ kind: 'released' });
    expect(bench.reported('lost')).toEqual([]);
  });
});

test('waits for none of that longer than timeoutMs', async () => {
  const bench = new Bench();
  const never = new Deferred<never>();
  const { locks, process, backend } = bench.fake({ releases: [never.promise] });

  await bench.run(async () => {
    await locks.acquire('k');
    await locks.close({ timeoutMs: 700 });

    expect(process.nowMs).toBe(700);
    expect(backend.times('close')).toEqual([700]);
  });
});

test('leaves the backend what is left of timeoutMs, and waits until that is closed', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({ releases: [late(200, { kind: 'released' })] });
  const limits: unknown[] = [];
  backend.close = async (options?: object) => {
    limits.push(options);
    await process.sleep(30);
  };

  await bench.run(async () => {
    void (await locks.acquire('k')).release();
    await locks.close({ timeoutMs: 700 });

    expect(limits).toEqual([{ timeoutMs: 500 }]);
    expect(process.nowMs).toBe(230);
  });
});

test('keeps the process alive while keys are released, and no longer', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake({ releases: [late(200, { kind: 'released' })] });

  await bench.run(async () => {
    void (await locks.acquire('k')).release();
    const closing = locks.close();
    await process.sleep(100);
    expect(bench.world.awaitedTimers(process)).toBe(1);

    await closing;
    expect(bench.world.awaitedTimers(process)).toBe(0);
  });
});

test('waits for nothing when all that was waited for or held is over', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake({
    attempts: [busy({ retryAfterMs: 10 }), granted()],
  });
  let timers: number | undefined;
  backend.close = async () => void (timers = bench.world.pendingTimers(process));

  await bench.run(async () => {
    await locks.use('k', () => process.sleep(10));
    const closing = locks.close();
    await microtasks(3);
    expect(bench.world.pendingTimers(process)).toBe(0);

    await closing;
    expect(timers).toBe(0);
  });
});

test('a holder that it signals finds the locks closed', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();
  const refused: Promise<unknown>[] = [];

  await bench.run(async () => {
    const lease = await locks.acquire('k');
    lease.signal.addEventListener('abort', () => {
      refused.push(rejection(locks.acquire('l')));
      void locks.close();
      void lease.release();
    });
    await locks.close();

    expect(await Promise.all(refused)).toMatchObject([{ code: 'CLOSED', key: 'l' }]);
    expect(order(backend.calls)).toEqual(['release', 'close']);
  });
});

test('waits 5 s by default', async () => {
  const bench = new Bench();
  const never = new Deferred<never>();
  const { locks, process } = bench.fake({ releases: [never.promise] });

  await bench.run(async () => {
    void (await locks.acquire('k')).release();
    await locks.close();

    expect(process.nowMs).toBe(5_000);
  });
});

test('happens once, and `await using` does it', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake();

  await bench.run(async () => {
    {
      await using closing = locks;
      await using lease = await closing.acquire('k');
      expect(lease.state).toBe('held');
      const slow = await closing.acquire('slow');
      void process.sleep(10).then(() => slow.release());
    }
    expect(order(backend.calls)).toEqual(['release', 'release', 'close']);
    await Promise.all([locks.close(), locks.close()]);

    expect(order(backend.calls)).toEqual(['release', 'release', 'close']);
  });
});

test('at any microtask, a grant is returned or released before connections close', async () => {
  for (let after = 0; after < 30; after++) {
    const bench = new Bench();
    const reply = new Deferred<void>();
    const { locks, process, backend } = bench.fake({
      attempts: [(call, p) => reply.promise.then(() => granted()(call, p))],
    });

    await bench.run(async () => {
      const waiting = locks.acquire('k').catch(({ code }) => ({ state: code }));
      await process.sleep(10);
      reply.resolve();
      await microtasks(after);
      const { stillHeld } = await locks.close();

      const { state } = await waiting;
      expect(['held', 'CLOSED'], `${after} microtasks later`).toContain(state);
      expect(stillHeld, `${after} microtasks later`).toHaveLength(state === 'held' ? 1 : 0);
      const calls = state === 'held' ? ['close'] : ['release', 'close'];
      expect(order(backend.calls), `${after} microtasks later`).toEqual(calls);
    });
  }
});

test('right after the grant, it leaves no caller with a lease', async () => {
  const bench = new Bench();
  const { locks, backend } = bench.fake();

  await bench.run(async () => {
    locks.on('acquired', () => void locks.close());

    expect(await rejection(locks.acquire('k'))).toMatchObject({ code: 'CLOSED' });
    await locks.close();
    expect(order(backend.calls)).toEqual(['release', 'close']);
  });
});

test('a caller that is aborted from within `contend` gives up, and the next one acquires the key', async () => {
  const bench = new Bench();
  const { locks, process, backend } = bench.fake();
  const caller = new AbortController();
  const contend = backend.contend.bind(backend);
  backend.contend = (request) => {
    caller.abort(new Error('enough'));
    return contend(request);
  };

  await bench.run(async () => {
    const error = await rejection(locks.acquire('k', { signal: caller.signal }));
    await process.sleep(10);

    expect(error).toMatchObject({ message: 'enough' });
    expect(backend.times('release').length + backend.times('withdraw').length).toBe(1);
    expect(await locks.tryAcquire('k')).not.toBeNull();
  });
});

test('waits for the release of a grant whose caller was aborted from within its attempt', async () => {
  const bench = new Bench();
  const caller = new AbortController();
  const { locks, backend } = bench.fake({
    attempts: [
      (call, process) => {
        caller.abort(new Error('enough'));
        return granted()(call, process);
      },
    ],
    releases: [late(50, { kind: 'released' })],
  });

  await bench.run(async () => {
    const error = await rejection(locks.acquire('k', { signal: caller.signal }));
    await locks.close();

    expect(error).toMatchObject({ message: 'enough' });
    expect(order(backend.calls)).toEqual(['release', 'close']);
    expect(backend.times('close')).toEqual([50]);
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
  const host = { runtime, label: 'p', emit: () => undefined, on: () => () => undefined };

  await createLocks(await openMemory({}, host), host).close();

  expect(timers).toBe(0);
});
