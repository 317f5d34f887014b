import { InvalidOptionError } from '@holdfast/core';
import { type Backend, type Host, MemoryStore, openMemory } from '@holdfast/core/backend';
import { World } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';

async function opened(
  latencyMs = 0,
): Promise<{ world: World; backend: Backend; host: Host; timers: (boolean | undefined)[] }> {
  const world = new World();
  const process = world.process('p');
  const timers: (boolean | undefined)[] = [];
  const timer = process.runtime.timer.bind(process.runtime);
  process.runtime.timer = (ms, run, options) => {
    timers.push(options?.awaited);
    return timer(ms, run, options);
  };
  const host: Host = { runtime: process.runtime, label: 'p', emit: () => undefined };
  const latency = { requestMs: latencyMs, replyMs: latencyMs };
  const link = {
    call: <T>(label: string, effect: () => T) => process.call(label, effect, latency),
    deliver: (label: string, run: () => void) => process.deliver(label, run, latencyMs),
  };
  const backend = await openMemory(latencyMs > 0 ? { link } : {}, host);
  return { world, backend, host, timers };
}

/** Over a link that calls `before` with each label, and whose call rejects if that throws. */
async function linked(
  before: (label: string) => void,
): Promise<{ world: World; backend: Backend }> {
  const world = new World();
  const { runtime } = world.process('p');
  const call = async <T>(label: string, effect: () => T): Promise<T> => {
    before(label);
    return effect();
  };
  const link = { call, deliver: (_: string, run: () => void) => run() };
  const host: Host = { runtime, label: 'p', emit: () => undefined };
  return { world, backend: await openMemory({ link }, host) };
}

describe('the store in memory', () => {
  test('notifies all listeners, although another one was removed', () => {
    const store = new MemoryStore(() => 0);
    const heard: string[] = [];
    const leave = store.subscribe('k', () => heard.push('a'));
    store.subscribe('k', () => heard.push('b'));
    leave();
    store.acquire('k', 'c1:1:p', 1_000);

    store.force('k');

    expect(heard).toEqual(['b']);
  });

  test('refuses a ttl that is too short', async () => {
    const { backend } = await opened();

    expect(() => backend.contend({ key: 'k', contender: 'c', ttlMs: 5 })).toThrow(
      InvalidOptionError,
    );
    const adoption = { key: 'k', contender: 'c', ttlMs: 5, exported: 'x:1:p' };
    expect(() => backend.adopt?.(adoption)).toThrow(InvalidOptionError);
  });

  test('reports how long the holder has left, which is the time of the next attempt', async () => {
    const { backend } = await opened();
    const contend = (contender: string): ReturnType<Backend['contend']> =>
      backend.contend({ key: 'k', contender, ttlMs: 1_000 });
    await contend('c1').attempt(Number.POSITIVE_INFINITY);

    expect(await contend('c2').attempt(Number.POSITIVE_INFINITY)).toEqual({
      kind: 'busy',
      holderRemainingMs: 1_000,
      retryAfterMs: 1_000,
    });
  });

  test('receives an undo of a late grant, and a withdrawal waits for it', async () => {
    const { world, backend, timers } = await opened(60);

    await world.run(async () => {
      const contender = backend.contend({ key: 'k', contender: 'c', ttlMs: 1_000 });
      expect((await contender.attempt(Number.POSITIVE_INFINITY)).kind).toBe('unknown');
      timers.splice(0);
      // The grant comes 20 ms after the deadline, and its undo another 120 ms later: more than a call deadline.
      expect((await contender.withdraw()).kind).toBe('unknown');
      expect(timers).not.toContain(false);
      await new Promise<void>((done) => world.after(100, done));
      expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    });
  });

  test('settles a withdrawal in time if it can', async () => {
    const { world, backend } = await opened(26);

    await world.run(async () => {
      const contender = backend.contend({ key: 'k', contender: 'c', ttlMs: 500 });
      expect((await contender.attempt(Number.POSITIVE_INFINITY)).kind).toBe('unknown');
      await new Promise<void>((done) => world.after(10, done));
      expect(await contender.withdraw()).toEqual({ kind: 'clean' });
    });
  });

  test('settles a withdrawal as soon as all is undone', async () => {
    const { world, backend } = await opened(26);

    await world.run(async () => {
      const contender = backend.contend({ key: 'k', contender: 'c', ttlMs: 500 });
      await contender.attempt(Number.POSITIVE_INFINITY);
      await new Promise<void>((done) => world.after(10, done));
      await contender.withdraw();

      // Granted at 52, undone at 104; it would have waited until 110.
      expect(world.nowMs).toBe(104);
    });
  });

  test('has nothing to wait for when nothing is in doubt', async () => {
    const { backend, timers } = await opened();

    await backend.contend({ key: 'k', contender: 'c' }).withdraw();

    expect(timers).toEqual([]);
  });

  test('hears nothing more of an adoption that it refused', async () => {
    const labels: string[] = [];
    const { backend } = await linked((label) => void labels.push(label));
    const contender = backend.adopt?.({ key: 'k', contender: 'c', exported: 'x:1:p' });

    expect(await contender?.attempt(Number.POSITIVE_INFINITY)).toMatchObject({ kind: 'refused' });
    expect(await contender?.withdraw()).toEqual({ kind: 'clean' });
    expect(labels).toEqual(['adopt']);
  });

  test('that is gone when a reader gives up its place leaves no rejection behind', async () => {
    const { world, backend } = await linked((label) => {
      if (label === 'leave') throw new Error('the store is gone');
    });

    await world.run(async () => {
      await backend.contend({ key: 'k', contender: 'a' }).attempt(Number.POSITIVE_INFINITY);
      const reader = backend.contend({ key: 'k', contender: 'b', mode: { kind: 'shared' } });
      expect((await reader.attempt(Number.POSITIVE_INFINITY)).kind).toBe('busy');
      expect(await reader.withdraw()).toEqual({ kind: 'clean' });
    });
  });

  test('that does not answer about its marks in time is unavailable', async () => {
    const { world, backend, host } = await opened(60);

    await world.run(async () => {
      const deadlineMs = host.runtime.now().monotonicMs + 100;
      const details = { code: 'BACKEND_UNAVAILABLE', backend: 'memory' };
      for (const call of [
        backend.marks?.read('m', deadlineMs),
        backend.marks?.write('m', 'v', deadlineMs),
      ])
        await expect(call).rejects.toMatchObject(details);
    });
  });
});
