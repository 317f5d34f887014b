import { validityMs } from '@holdfast/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from './support/bench.ts';
import { Children } from './support/child.ts';
import { late, renewed, Told } from './support/fake-backend.ts';

describe('a lease that is dropped without release', () => {
  test('is told of as leaked and lost, renewed no more, and given back when its time is over', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      process.collect(await locks.acquire('k', { ttlMs: 3_000 }));
      await process.sleep(60_000);

      // Noticed before the first renewal, which would have been at 1,000.
      expect(bench.told('leaked')).toMatchObject([{ key: 'k', backend: 'fake', heldMs: 750 }]);
      expect(bench.told('lost')).toMatchObject([{ key: 'k', reason: 'leaked', heldMs: 750 }]);
      expect(backend.times('release')).toEqual([validityMs(3_000)]);
      expect(backend.times('renew')).toEqual([]);
      expect(bench.world.pendingTimers()).toBe(0);
    });
  });

  test('lets the next one contend when its time is over', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_000);
      process.collect(lease);
      await locks.acquire('k');

      expect(backend.times('attempt')).toEqual([0, validityMs(4_000)]);
    });
  });

  test('is given back when its time is over by the wall clock, also while a renewal is on its way', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake({ renewals: [late(500, renewed())] });

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 30_000 });
      await process.sleep(10_200);
      process.collect(lease);
      await process.sleep(1_000);
      process.jumpWall(30_000);
      await process.sleep(1_001);

      expect(backend.times('renew')).toHaveLength(1);
      expect(backend.times('release')).toHaveLength(1);
    });
  });

  test('is left to expire by close, which does not wait for it', async () => {
    const bench = new Bench();
    const { locks, process, backend } = bench.fake();

    await bench.run(async () => {
      const lease = await locks.acquire('k', { ttlMs: 4_000 });
      await process.sleep(1_000);
      process.collect(lease);
      await process.sleep(0);
      const { stillHeld } = await locks.close();

      const remainingMs = validityMs(4_000) - 1_000;
      expect(stillHeld).toMatchObject([{ key: 'k', remainingMs }]);
      expect(backend.times('close')).toEqual([1_000]);
      expect(backend.times('release')).toEqual([]);
      expect(bench.world.pendingTimers()).toBe(0);
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
    const ttl = { ttlMs: 2_000, renew: true };
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
      console.log((await locks.acquire('k')).state);`);

    expect(told).toBe('acquired leaked lost\nheld');
  });

  test.concurrent('takes none whose signal was asked for: it is renewed, and its listener hears of the loss', async () => {
    const told = await run(`
      let leads = true;
      const stepDown = () => { leads = false; };
      await (async () => void (await locks.acquire('k', ttl)).signal.addEventListener('abort', stepDown))();
      await collect();
      console.log(leads, await locks.tryAcquire('k'));
      await locks.forceRelease('k');
      for (let i = 0; i < 200 && leads; i++) await new Promise((resume) => setTimeout(resume, 5));
      console.log(leads);`);

    expect(told).toBe('acquired\ntrue null\nfalse');
  });

  test.concurrent('takes none whose signal lives on in another signal alone', async () => {
    const told = await run(`
      const either = await (async () =>
        AbortSignal.any([(await locks.acquire('k', ttl)).signal, new AbortController().signal]))();
      await collect();
      await locks.forceRelease('k');
      for (let i = 0; i < 200 && !either.aborted; i++) await new Promise((resume) => setTimeout(resume, 5));
      console.log(either.aborted, either.reason?.code);`);

    expect(told).toBe('acquired\ntrue LOCK_LOST');
  });

  test.concurrent('leaves one that is not renewed to its end', async () => {
    const told = await run(`
      await (async () => void (await locks.acquire('k', { ttlMs: 1_000, renew: false })))();
      locks.on('lost', ({ reason }) => events.push(reason));
      await collect();
      while (!events.includes('lost')) await new Promise((resume) => setTimeout(resume, 5));
      console.log(events.join(' '));`);

    expect(told.split('\n').at(-1)).toBe('acquired lost deadline');
  });

  test.concurrent('takes none under the body of use, which need not look at it', async () => {
    const told = await run(
      `await locks.use('k', collect, ttl); await locks.tryUse('k', collect, ttl);`,
    );

    expect(told).toBe('acquired\nacquired released acquired');
  });
});
