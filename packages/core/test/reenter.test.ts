import { AsyncLocalStorage } from 'node:async_hooks';
import { ConcurrentReentryError, type Lease, LockError, type Locks } from '@holdfast/core';
import { createHost, createLocks, openMemory } from '@holdfast/core/backend';
import { reentryBy } from '@holdfast/core/reentry';
import { describe, expect, test } from 'vitest';
import { Bench, microtasks, rejection } from './support/bench.ts';

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let settle: ((value: T) => void) | undefined;
  const promise = new Promise<T>((done) => {
    settle = done;
  });
  return { promise, resolve: (value) => settle?.(value) };
}

describe('a further handle on a hold', () => {
  test('has its key and token, and keeps it until the last handle is released, in any order', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');

    await bench.run(async () => {
      const outer = await locks.acquire('k');
      const inner = locks.reenter(outer);
      const innermost = locks.reenter(inner);
      expect([inner.key, inner.fencingToken, inner.owner]).toEqual([
        'k',
        outer.fencingToken,
        outer.owner,
      ]);

      expect(await outer.release()).toEqual({ kind: 'released' });
      expect(await outer.release()).toEqual({ kind: 'released' });
      expect([outer.state, inner.state, innermost.state]).toEqual(['released', 'held', 'held']);
      expect(bench.store.inspect('k')?.owner).toBe(inner.owner);
      expect(outer.remainingMs()).toBe(0);
      expect(() => outer.assertHeld()).toThrow('has been released');
      await expect(outer.extend(60_000)).rejects.toThrow('has been released');
      expect(() => locks.reenter(outer)).toThrow('has been released');
      inner.assertHeld();

      await innermost.release();
      expect(bench.store.inspect('k')).toBeDefined();
      await inner.release();
      expect(bench.store.inspect('k')).toBeUndefined();
      expect(bench.reported('released')).toHaveLength(1);
    });
  });

  test('sends nothing, and waits for nothing', async () => {
    const bench = new Bench();
    const a = await bench.open('a', {}, 5);

    await bench.run(async () => {
      const lease = await a.locks.acquire('k');
      const fromMs = bench.world.nowMs;
      await a.locks.reenter(lease).release();
      expect(bench.world.nowMs).toBe(fromMs);
      await lease.release();
    });
  });

  test('is lost with all others at once, and then releases nothing', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('a');

    await bench.run(async () => {
      const outer = await locks.acquire('k', { ttlMs: 1_000, renew: false });
      const inner = locks.reenter(outer);
      const { signal } = inner;
      await process.sleep(1_000);

      expect([outer.state, inner.state, signal.aborted]).toEqual(['lost', 'lost', true]);
      expect(await inner.release()).toEqual({ kind: 'not-held' });
      expect(await outer.release()).toEqual({ kind: 'not-held' });
      expect(() => locks.reenter(inner)).toThrow('was lost');
    });
  });

  test('keeps the hold from being handed over, until it is released', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');

    await bench.run(async () => {
      const outer = await locks.acquire('k');
      const inner = locks.reenter(outer);
      expect(await rejection(outer.export())).toMatchObject({ code: 'CAPABILITY' });
      await inner.release();
      await locks.adopt(await outer.export()).then((lease) => lease.release());
    });
  });

  test('that was released leaves keepMs of the job as it is', async () => {
    const bench = new Bench();
    const { locks, process } = await bench.open('a');

    await bench.run(async () => {
      await locks.tryUse('k', (lease) => locks.reenter(lease).release(), { keepMs: 60_000 });
      expect(await locks.tryAcquire('k')).toBeNull();
      await process.sleep(60_000);
      expect(await locks.tryAcquire('k')).not.toBeNull();
    });
  });

  test('is made only of a lease on one key, of the same locks', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');
    const other = await bench.open('b');

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const backend = 'memory';
      expect(() => other.locks.reenter(lease)).toThrow(expect.objectContaining({ backend }));
      expect(() => other.locks.reenter(lease)).toThrow('that these locks have made');
      const several = await locks.acquire(['l', 'm']);
      // @ts-expect-error -- a lease on several keys
      expect(() => locks.reenter(several)).toThrow('a lease on one key');
      await Promise.all([lease.release(), several.release()]);
    });
  });

  test('is refused while the locks close', async () => {
    const bench = new Bench();
    const { locks } = await bench.open('a');

    await bench.run(async () => {
      const lease = await locks.acquire('k');
      const closing = locks.close();
      expect(() => locks.reenter(lease)).toThrow(
        expect.objectContaining({ code: 'CLOSED', key: 'k', backend: 'memory' }),
      );
      await lease.release();
      await closing;
    });
  });
});

async function openWith(
  reenters: boolean,
): Promise<{ locks: Locks; warnings: string[]; storage: AsyncLocalStorage<unknown> }> {
  const warnings: string[] = [];
  const on = { warning: ({ message }: { message: string }) => void warnings.push(message) };
  const storage = new AsyncLocalStorage<unknown>();
  const host = { ...createHost({ on }), reentry: reentryBy({ storage, reenters }) };
  return { locks: createLocks(await openMemory({}, host), host), warnings, storage };
}

describe('with a context', () => {
  test('a call within the body of use gets the hold once more, through all layers', async () => {
    const { locks } = await openWith(true);

    await locks.use('k', async (outer) => {
      await locks.use('k', async (inner) => {
        expect(inner.fencingToken).toBe(outer.fencingToken);
        const again = await locks.acquire('k');
        await again.release();
        expect(await locks.tryUse('k', (innermost) => innermost.state)).toEqual({
          ran: true,
          value: 'held',
        });
      });
      expect(outer.state).toBe('held');
    });
    expect(await locks.inspect('k')).toMatchObject({ held: false });
    await locks.close();
  });

  test('a body that outlives its hold acquires the key anew', async () => {
    const { locks } = await openWith(true);
    let later: Promise<bigint | undefined> | undefined;
    const go = deferred<undefined>();
    const first = await locks.use('k', ({ fencingToken }) => {
      later = go.promise.then(() => locks.use('k', (lease) => lease.fencingToken));
      return fencingToken ?? 0n;
    });

    go.resolve(undefined);
    expect(await later).toBeGreaterThan(first);
    await locks.close();
  });

  test('two re-entries at a time are refused, one after the other are not', async () => {
    const { locks } = await openWith(true);

    await locks.use('k', async () => {
      const both = [1, 2].map(() => locks.use('k', () => Promise.resolve()));
      const outcomes = await Promise.allSettled(both);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
      expect(outcomes[1]).toMatchObject({ reason: expect.any(ConcurrentReentryError) });
      await locks.use('k', () => Promise.resolve());
    });
    await locks.close();
  });

  test('a reader reads again, and is refused as a writer', async () => {
    const { locks } = await openWith(true);

    await locks.read('k').use(async () => {
      await locks.read('k').use(() => Promise.resolve());
      const error = await rejection(locks.write('k').use(() => Promise.resolve()));
      expect(error).toBeInstanceOf(LockError);
      expect(String(error)).toContain('cannot become its writer');
    });
    await locks.write('k').use(() => locks.read('k').use(() => Promise.resolve()));
    await locks.close();
  });

  test('an election within the body of use leads only after that body', async () => {
    const { locks } = await openWith(true);
    const order: string[] = [];
    const stop = new AbortController();
    let elected: Promise<void> | undefined;

    await locks.use('k', async () => {
      const lead = (): void => {
        order.push('led');
        stop.abort();
      };
      elected = locks.elect('k', lead, { signal: stop.signal });
      await microtasks(100);
      order.push('used');
    });
    await elected;
    expect(order).toEqual(['used', 'led']);
    await locks.close();
  });

  test('a call whose signal has aborted gets nothing', async () => {
    const { locks } = await openWith(true);

    await locks.use('k', async () => {
      const error = await rejection(locks.acquire('k', { signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ name: 'AbortError' });
    });
    await locks.close();
  });

  test('a writer that became a reader reads again behind a waiting writer', async () => {
    const { locks, storage } = await openWith(true);
    const rival = locks.write('k');
    let next: Promise<Lease> | undefined;
    await locks.write('k').use(async (writing) => {
      // In no body, so that it is no re-entry.
      next = storage.run(undefined, () => rival.acquire());
      const reading = await locks.downgrade(writing);
      await locks.read('k').use(({ fencingToken }) => {
        expect(fencingToken).toBe(reading.fencingToken);
      });
      expect(await rejection(locks.write('k').acquire())).toMatchObject({ code: 'CAPABILITY' });
      await reading.release();
    });
    await (await next)?.release();
    await locks.close();
  });

  test('that only warns, a caller waits for its own hold, and the warning names both places', async () => {
    const { locks, warnings } = await openWith(false);

    await locks.use('k', async () => {
      expect(await locks.tryAcquire('k')).toBeNull();
      expect(warnings).toEqual([]);
      const error = await rejection(locks.use('k', () => Promise.resolve(), { waitMs: 1 }));
      expect(error).toMatchObject({ code: 'LOCK_TIMEOUT' });
      await locks.semaphore('other', 2).use(() => locks.semaphore('other', 2).use(() => 1));
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]?.match(/reenter\.test\.ts:\d+/g)).toHaveLength(2);
    await locks.close();
  });

  describe.each([false, true])(
    'a caller that waits for itself is warned (re-enters: %s)',
    (reenters) => {
      const waiting = { waitMs: 1 };
      const timeout = { code: 'LOCK_TIMEOUT' };

      test('over several keys, and under a lease on several', async () => {
        const { locks, warnings } = await openWith(reenters);

        await locks.use('k', async () => {
          expect(await rejection(locks.acquire(['a', 'k'], waiting))).toMatchObject(timeout);
        });
        await locks.use(['a', 'b'], async () => {
          expect(await rejection(locks.acquire('b', waiting))).toMatchObject(timeout);
          expect(await locks.tryAcquire('b')).toBeNull();
          expect(await rejection(locks.acquire('b', { waitMs: 0 }))).toMatchObject(timeout);
        });
        expect(warnings.map((each) => each.split(' ')[0])).toEqual(["'k'", "'b'"]);
        for (const each of warnings) expect(each.match(/reenter\.test\.ts:\d+/g)).toHaveLength(2);
        await locks.close();
      });

      test('for a permit, once its own permits leave too few', async () => {
        const { locks, warnings } = await openWith(reenters);
        const permits = locks.semaphore('k', 2);

        await permits.use(async () => {
          await permits.use(async () => {
            expect(warnings).toEqual([]);
            expect(await rejection(permits.acquire(1, waiting))).toMatchObject(timeout);
          });
        });
        expect(warnings).toHaveLength(1);
        await locks.use('k', async () => {
          expect(await rejection(permits.acquire(1, waiting))).toMatchObject(timeout);
        });
        expect(warnings).toHaveLength(2);
        await locks.close();
      });

      test('as a leader, and as a candidate', async () => {
        const { locks, warnings } = await openWith(reenters);
        const end = new AbortController();

        await locks.elect(
          'k',
          async () => {
            expect(await rejection(locks.acquire('k', waiting))).toMatchObject(timeout);
            end.abort();
          },
          { signal: end.signal },
        );
        expect(warnings).toHaveLength(1);
        await locks.use('k', async () => {
          const soon = AbortSignal.timeout(1);
          await locks.elect('k', () => expect.unreachable(), { signal: soon });
        });
        expect(warnings).toHaveLength(2);
        await locks.close();
      });
    },
  );

  test('that follows a pool, a request re-enters the hold of another one: the trap of the context', async () => {
    const { locks } = await openWith(true);
    const jobs: (() => void)[] = [];
    let pool: Promise<void> | undefined;
    const intruded = deferred<bigint | undefined>();
    await locks.use('k', async ({ fencingToken }) => {
      // The pool is made here, so whatever it runs later is taken for a part of this body.
      pool = Promise.resolve().then(() => {
        for (const job of jobs) job();
      });
      jobs.push(() => void locks.use('k', (lease) => intruded.resolve(lease.fencingToken)));
      expect(await intruded.promise).toBe(fencingToken);
    });
    await pool;
    await locks.close();
  });
});
