import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import { Children } from './support/child.ts';
import { late, Told } from './support/fake-backend.ts';

describe('a lease that is dropped without release', () => {
  test('is told of, renewed no more, and given back', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      process.collect(await locks.acquire('k', { ttlMs: 3_000 }));
      await process.sleep(60_000);

      // Noticed before the first renewal, which would have been at 1,000.
      expect(bench.told('leaked')).toMatchObject([{ key: 'k', backend: 'fake', heldMs: 750 }]);
      expect(bench.told('lost')).toEqual([]);
      expect(backend.times('release')).toEqual([750]);
      expect(backend.times('renew')).toEqual([]);
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });

  test('lets the next one in once it has been given back', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ releases: [late(40, { kind: 'released' })] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_000);
      process.collect(lease);
      await locks.acquire('k');

      expect(backend.times('attempt')).toEqual([0, 1_040]);
    });
  });

  test('is awaited by close', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ releases: [late(40, { kind: 'released' })] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_000);
      process.collect(lease);
      await process.sleep(0);
      await locks.close();

      expect(backend.times('close')).toEqual([1_040]);
    });
  });

  test('is not told of when it had been released or lost', async () => {
    const bench = new Bench();
    const never = new Told<never>();
    const { locks, process } = bench.fake({ renewals: [never.answer] });

    await bench.run(async () => {
      const released = await locks.acquire('k', { ttlMs: 100 });
      await process.sleep(30);
      await released.release();
      const lost = await locks.acquire('l', { ttlMs: 1_000 });
      await process.sleep(1_000);
      process.collect(released);
      process.collect(lost);
      const justReleased = await locks.acquire('m', { ttlMs: 100 });
      await process.sleep(30);
      process.collect(justReleased);
      await justReleased.release();
      await process.sleep(10);

      expect(bench.told('leaked')).toEqual([]);
    });
  });
});

describe('the real collector', () => {
  /** Collects until something was reported, or for so long that it surely would have been. */
  const COLLECT = `
    const ttl = { ttlMs: 1_000, renew: true };
    const collect = async () => {
      for (let i = 0; i < 120 && !events.includes('leaked'); i++) {
        gc();
        await new Promise((resume) => setTimeout(resume, 5));
      }
      console.log(events.filter((type) => type !== 'renewed').join(' '));
    };`;
  let children: Children;
  beforeAll(async () => {
    children = await Children.prepare();
  });
  afterAll(() => children.remove());
  const run = (script: string): Promise<string> => children.run(COLLECT + script, ['--expose-gc']);

  test.concurrent('takes a lease that nobody refers to', async () => {
    const told = await run(`
      await (async () => void (await locks.acquire('k', ttl)))();
      await collect();
      console.log((await locks.acquire('k', { waitMs: 100 })).state);`);

    expect(told).toBe('acquired leaked\nheld');
  });

  test.concurrent('takes one whose signal was asked for and dropped', async () => {
    const told = await run(`
      await (async () => void (await locks.acquire('k', ttl)).signal.addEventListener('abort', () => {}))();
      await collect();`);

    expect(told).toBe('acquired leaked');
  });

  test.concurrent('takes none whose signal somebody holds', async () => {
    const told = await run(`
      const signal = await (async () => (await locks.acquire('k', ttl)).signal)();
      await collect();
      console.log(signal.aborted);`);

    expect(told).toBe('acquired\nfalse');
  });

  test.concurrent('takes none under the body of use, which need not look at it', async () => {
    const told = await run(
      `await locks.use('k', collect, ttl); await locks.tryUse('k', collect, ttl);`,
    );

    expect(told).toBe('acquired\nacquired released acquired');
  });
});
