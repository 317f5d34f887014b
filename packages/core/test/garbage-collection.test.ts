import { AsyncLocalStorage } from 'node:async_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Lease, LockLostError } from '@holdfast/core';
import { createHost, createLocks, MemoryStore, openMemory } from '@holdfast/core/backend';
import { reentryBy } from '@holdfast/core/reentry';
import { expect, test } from 'vitest';
import { Bench, type FakeStation } from './support/bench.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Collects garbage. A target of a weak reference that was read in a turn lives until the end of that turn. */
async function collect(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resume) => setImmediate(resume));
    gc();
  }
}

/** The memory that `run` leaves behind, in bytes. */
async function leftBy(run: () => void): Promise<number> {
  await collect();
  const { used_heap_size: before } = getHeapStatistics();
  run();
  await collect();
  return getHeapStatistics().used_heap_size - before;
}

/** A lease of 4 s, whose reference core has dropped by now; only the result of `keep` still refers to it. */
async function acquired<T>(
  { locks, process }: FakeStation,
  keep: (lease: Lease) => T,
): Promise<{ kept: T; lease: WeakRef<Lease> }> {
  const lease = await locks.acquire('k', { ttlMs: 4_000, renew: false });
  await process.sleep(1_001);
  return { kept: keep(lease), lease: new WeakRef(lease) };
}

test('a lease lives as long as its signal is referenced, which reports its loss', async () => {
  const bench = new Bench();
  const station = bench.fake();
  const { kept: signal } = await bench.world.run(() => acquired(station, (each) => each.signal));

  await collect();
  await bench.run(() => station.process.sleep(4_000));

  expect(signal.reason).toBeInstanceOf(LockLostError);
});

test('a lease that is released is kept alive by its signal no longer', async () => {
  const bench = new Bench();
  const station = bench.fake();
  const { kept, lease } = await bench.world.run(() =>
    acquired(station, (each) => {
      const { signal } = each;
      return { signal, released: each.release() };
    }),
  );
  await bench.run(async () => void (await kept.released));

  await collect();

  expect(lease.deref()).toBeUndefined();
  expect(kept.signal.aborted).toBe(false);
});

test('a lease lives as long as a further handle on its hold', async () => {
  const bench = new Bench();
  const station = bench.fake();
  const { kept: inner, lease } = await bench.world.run(() =>
    acquired(station, (each) => station.locks.reenter(each)),
  );

  await collect();

  expect(lease.deref()).toBeDefined();
  expect(inner.state).toBe('held');
  await bench.run(async () => void (await inner.release()));
});

test('nothing in core keeps the handle on several keys', async () => {
  const bench = new Bench();
  const { locks, process } = bench.fake();
  const lease = await bench.world.run(async () => {
    const handle = new WeakRef(await locks.acquire(['a', 'b'], { ttlMs: 4_000 }));
    await process.sleep(1_001);
    return handle;
  });

  await collect();

  expect(lease.deref()).toBeUndefined();
  await bench.world.run(() => process.sleep(10_000));
});

test('a key that is kept after its job keeps no lease', async () => {
  const bench = new Bench();
  const { locks } = bench.fake();
  const lease = await bench.world.run(async () => {
    const run = await locks.tryUse('k', (each) => new WeakRef(each), { keepMs: 20_000 });
    return run.ran ? run.value : undefined;
  });

  await collect();

  expect(lease).toBeInstanceOf(WeakRef);
  expect(lease?.deref()).toBeUndefined();
  expect(bench.reported('released')).toEqual([]);
  await bench.run(async () => undefined);
});

/** A text of 10 kB that shares its bytes with no other. */
function longText(n: number): string {
  return Buffer.alloc(10_000, `${n}.`).toString('latin1');
}

test('a key uses no memory after the wait for it', async () => {
  const store = new MemoryStore(() => 0);

  const bytes = await leftBy(() => {
    for (let n = 0; n < 1_000; n++) store.subscribe(longText(n), () => undefined)();
  });

  expect(bytes).toBeLessThan(5_000_000);
});

test('an expired hold uses no memory once its expiry has been detected', async () => {
  let nowMs = 0;
  const store = new MemoryStore(() => nowMs);

  const bytes = await leftBy(() => {
    for (let n = 0; n < 1_000; n++) store.acquire(`${n}`, longText(n), 1_000);
    nowMs = 1_000;
    for (let n = 0; n < 1_000; n++) store.inspect(`${n}`);
  });

  expect(bytes).toBeLessThan(5_000_000);
});

test('a job that starts its next run from its body keeps no earlier run, though the locks follow its context', async () => {
  const reentry = reentryBy({ storage: new AsyncLocalStorage(), reenters: true });
  const host = { ...createHost(), reentry };
  const locks = createLocks(await openMemory({}, host), host);
  const runs: WeakRef<Lease>[] = [];
  const kept = await new Promise<number>((done) => {
    const count = async (): Promise<void> => {
      await collect();
      done(runs.filter((lease) => lease.deref() !== undefined).length);
    };
    const run = (left: number): Promise<void> =>
      locks.use('k', (lease) => {
        runs.push(new WeakRef(lease));
        setImmediate(() => void (left === 0 ? count() : run(left - 1)));
      });
    void run(10);
  });

  expect(runs).toHaveLength(11);
  expect(kept).toBeLessThan(3);
  await locks.close();
});
