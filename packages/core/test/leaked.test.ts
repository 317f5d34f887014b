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

      expect(bench.told('leaked')).toMatchObject([{ key: 'k', backend: 'fake', heldMs: 0 }]);
      expect(bench.told('lost')).toEqual([]);
      expect(backend.times('release')).toEqual([0]);
      expect(backend.times('renew')).toEqual([]);
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });

  test('lets the next one in once it has been given back', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ releases: [late(40, { kind: 'released' })] });

    await bench.run(async () => {
      process.collect(await locks.acquire('k'));
      await locks.acquire('k');

      expect(backend.times('attempt')).toEqual([0, 40]);
    });
  });

  test('is awaited by close', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ releases: [late(40, { kind: 'released' })] });

    await bench.run(async () => {
      process.collect(await locks.acquire('k'));
      await process.sleep(0);
      await locks.close();

      expect(backend.times('close')).toEqual([40]);
    });
  });

  test('is not told of when it had been released or lost', async () => {
    const bench = new Bench();
    const never = new Told<never>();
    const { locks, process } = bench.fake({ renewals: [never.answer] });

    await bench.run(async () => {
      const released = await locks.acquire('k');
      await released.release();
      const lost = await locks.acquire('l', { ttlMs: 1_000 });
      await process.sleep(1_000);
      process.collect(released);
      process.collect(lost);
      await process.sleep(10);

      expect(bench.told('leaked')).toEqual([]);
    });
  });
});

describe('the real collector', () => {
  /** Collects until something was reported, or for so long that it surely would have been. */
  const COLLECT = `
    const collect = async () => {
      for (let i = 0; i < 50 && !events.includes('leaked'); i++) {
        gc();
        await new Promise((resume) => setImmediate(resume));
      }
      console.log(events.join(' '));
    };`;
  let children: Children;
  beforeAll(async () => {
    children = await Children.prepare();
  });
  afterAll(() => children.remove());
  const run = (script: string): Promise<string> => children.run(COLLECT + script, ['--expose-gc']);

  test.concurrent('takes a lease that nobody refers to', async () => {
    const told = await run(`
      await (async () => void (await locks.acquire('k')))();
      await collect();
      console.log((await locks.acquire('k', { waitMs: 100 })).state);`);

    expect(told).toBe('acquired leaked\nheld');
  });

  test.concurrent('takes one whose signal was asked for and dropped', async () => {
    const told = await run(`
      await (async () => void (await locks.acquire('k')).signal.addEventListener('abort', () => {}))();
      await collect();`);

    expect(told).toBe('acquired leaked');
  });

  test.concurrent('takes none whose signal somebody holds', async () => {
    const told = await run(`
      const signal = await (async () => (await locks.acquire('k')).signal)();
      await collect();
      console.log(signal.aborted);`);

    expect(told).toBe('acquired\nfalse');
  });

  test.concurrent('takes none under the body of use, which need not look at it', async () => {
    const told = await run(`await locks.use('k', collect); await locks.tryUse('k', collect);`);

    expect(told).toBe('acquired\nacquired released acquired');
  });
});
