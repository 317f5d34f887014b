import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Children, PREPARE_MS } from './support/child.ts';

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
  }, PREPARE_MS);
  afterAll(() => children.remove());
  const run = (script: string): Promise<string> => children.run(COLLECT + script, ['--expose-gc']);

  test.concurrent('collects a lease that is not referenced', async () => {
    const printed = await run(`
      await (async () => void (await locks.acquire('k', ttl)))();
      await collect();
      console.log((await locks.acquire('k')).state);`);

    expect(printed).toBe('acquired leaked lost\nheld');
  });

  test.concurrent('collects no lease whose signal was read: it is renewed, and its listener is called at the loss', async () => {
    const printed = await run(`
      let leads = true;
      const stepDown = () => { leads = false; };
      await (async () => void (await locks.acquire('k', ttl)).signal.addEventListener('abort', stepDown))();
      await collect();
      console.log(leads, await locks.tryAcquire('k'));
      await locks.forceRelease('k');
      for (let i = 0; i < 200 && leads; i++) await new Promise((resume) => setTimeout(resume, 5));
      console.log(leads);`);

    expect(printed).toBe('acquired\ntrue null\nfalse');
  });

  test.concurrent('collects no lease whose signal is referenced only by another signal', async () => {
    const printed = await run(`
      const either = await (async () =>
        AbortSignal.any([(await locks.acquire('k', ttl)).signal, new AbortController().signal]))();
      await collect();
      await locks.forceRelease('k');
      for (let i = 0; i < 200 && !either.aborted; i++) await new Promise((resume) => setTimeout(resume, 5));
      console.log(either.aborted, either.reason?.code);`);

    expect(printed).toBe('acquired\ntrue LOCK_LOST');
  });

  test.concurrent('leaves one that is not renewed to its end', async () => {
    const printed = await run(`
      await (async () => void (await locks.acquire('k', { ttlMs: 1_000, renew: false })))();
      locks.on('lost', ({ reason }) => events.push(reason));
      await collect();
      while (!events.includes('lost')) await new Promise((resume) => setTimeout(resume, 5));
      console.log(events.join(' '));`);

    expect(printed.split('\n').at(-1)).toBe('acquired lost deadline');
  });

  test.concurrent('collects no lease while the body of use runs, even if the body ignores it', async () => {
    const printed = await run(
      `await locks.use('k', collect, ttl); await locks.tryUse('k', collect, ttl);`,
    );

    expect(printed).toBe('acquired\nacquired released acquired');
  });
});
