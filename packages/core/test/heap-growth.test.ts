import { afterAll, beforeAll, expect, test } from 'vitest';
import { Children, PREPARE_MS } from './support/child.ts';

let children: Children;
beforeAll(async () => {
  children = await Children.prepare();
}, PREPARE_MS);
afterAll(() => children.remove());

/** However acquiring may end, each under a key of its own. */
const WAYS = `
  const ways = [
    (key) => locks.use(key, () => {}),
    async (key) => (await locks.tryAcquire(key)).release(),
    async (key) => {
      const lease = await locks.acquire(key);
      await locks.tryAcquire(key);
      const controller = new AbortController();
      const waiting = locks.acquire(key, { signal: controller.signal }).catch(() => {});
      const next = locks.use(key, (lease) => lease.signal);
      controller.abort();
      await Promise.all([waiting, lease.release(), next]);
    },
    async (key) => {
      const lease = await locks.acquire(key);
      await locks.forceRelease(key);
      await lease.extend(60_000).catch(() => {});
    },
    (key) => locks.tryUse(key, () => {}, { keepMs: 1 }),
    async (key) => {
      const keys = [key, key + ' too'];
      const { signal, release } = await locks.acquire(keys, { signal: new AbortController().signal });
      await Promise.all([locks.use(keys, ({ signal }) => signal), locks.tryAcquire(keys), release()]);
    },
  ];
  const cycle = async (from, to) => {
    for (let i = from; i < to; i++) await ways[i % ways.length]('key ' + i);
    events.length = 0;
    await new Promise((resume) => setTimeout(resume, 5));
    gc();
  };`;

test('10,000 acquisitions leave none of their objects behind', async () => {
  const printed = await children.run(
    `${WAYS}
    const { queryObjects } = await import('node:v8');
    const from = (file) => import(process.env.CORE + file + '.js');
    const { LeaseController } = await from('lease-controller');
    const { HeldLease } = await from('lease');
    const { LocalQueue } = await from('local-queue');
    const { WaitLoop } = await from('wait-loop');
    const { Acquisition } = await from('acquisition');
    const { RetainedKey } = await from('retained-key');
    const { HeldMultiLease, MultiLeaseController } = await from('multi-lease');
    // Ten thousand acquisitions may take a slow machine longer than a usual lease, in turns in which no renewal has its own.
    const held = await locks.acquire('held', { ttlMs: 600_000 });
    await cycle(0, 10_000);
    // The last keys may still be kept.
    for (let i = 0; i < 200 && queryObjects(RetainedKey) > 0; i++) await new Promise((resume) => setTimeout(resume, 5));
    for (const kind of [LeaseController, HeldLease, LocalQueue, WaitLoop, Acquisition, RetainedKey, HeldMultiLease, MultiLeaseController])
      console.log(kind.name, queryObjects(kind));
    console.log(held.state);`,
    ['--expose-gc'],
  );

  expect(printed.split('\n')).toEqual([
    'LeaseController 1',
    'HeldLease 1',
    'LocalQueue 1',
    'WaitLoop 0',
    'Acquisition 0',
    'RetainedKey 0',
    'HeldMultiLease 0',
    'MultiLeaseController 0',
    'held',
  ]);
});

test('30,000 more do not grow the heap', async () => {
  const printed = await children.run(
    `${WAYS}
    await cycle(0, 10_000);
    const before = process.memoryUsage().heapUsed;
    await cycle(10_000, 40_000);
    console.log(process.memoryUsage().heapUsed - before);`,
    ['--expose-gc'],
  );

  // One forgotten map entry for each key would be about 3 MB; the heap breathes by half a MB.
  expect(Number(printed)).toBeLessThan(1_200_000);
});
