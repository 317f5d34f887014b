import { expect, test } from 'vitest';
import { keepGuard, refusing, SimAmbientError, World } from '../../src/simulator/index.ts';

const AMBIENT_OWNERS = [Date, performance, Math, crypto, AbortSignal];
const AMBIENT: readonly (readonly [string, () => unknown])[] = [
  ['Date.now', () => Date.now()],
  ['new Date()', () => new Date()],
  ['performance.now', () => performance.now()],
  ['Math.random', () => Math.random()],
  ['crypto.getRandomValues', () => crypto.getRandomValues(new Uint8Array(1))],
  ['crypto.randomUUID', () => crypto.randomUUID()],
  ['setTimeout', () => setTimeout(() => {}, 0)],
  ['setInterval', () => setInterval(() => {}, 1_000)],
  ['setImmediate', () => setImmediate(() => {})],
  ['MessageChannel', () => new MessageChannel()],
  ['FinalizationRegistry', () => new FinalizationRegistry(() => {})],
  ['fetch', () => fetch('http://localhost/')],
  ['process.hrtime', () => process.hrtime()],
  ['process.hrtime.bigint', () => process.hrtime.bigint()],
  ['BroadcastChannel', () => new BroadcastChannel('k')],
  ['AbortSignal.timeout', () => AbortSignal.timeout(1_000)],
];

test.each(AMBIENT)(
  '%s inside a guarded world fails the run, even when swallowed',
  async (what, use) => {
    const world = new World({ guard: true });
    const a = world.process('a');

    const run = world.run(async () => {
      await a.sleep(1);
      try {
        use();
      } catch {
        // Code may swallow the error.
      }
      await a.sleep(1);
    });

    await expect(run).rejects.toThrow(SimAmbientError);
    await expect(run).rejects.toThrow(what);
  },
);

test('code that depends on no clock still works in a guarded world', async () => {
  const world = new World({ guard: true });

  const shown = await world.run(() => new Date(0).toISOString());

  expect(shown).toBe('1970-01-01T00:00:00.000Z');
});

test('after a run everything is as it was', async () => {
  const before = AMBIENT_OWNERS.map(Object.getOwnPropertyDescriptors);

  await new World({ guard: true }).run(() => {});

  expect(AMBIENT_OWNERS.map(Object.getOwnPropertyDescriptors)).toEqual(before);
});

test('between its batches a guarded world lets other code on the thread use the banned globals', async () => {
  const world = new World({ guard: true });
  const a = world.process('a');
  const foreign: number[] = [];
  const real = setInterval(() => foreign.push(Date.now()), 1);

  await world.run(async () => {
    while (foreign.length === 0) await a.sleep(1);
  });
  clearInterval(real);

  expect(foreign.length).toBeGreaterThan(0);
});

test('an unguarded world leaves the globals alone', async () => {
  expect(typeof (await new World().run(() => Date.now()))).toBe('number');
});

test.each([
  [() => Date.now(), /Date\.now was called .* now\(\) and elapsedMs\(\) of host\.runtime$/],
  [() => setTimeout(() => {}), /setTimeout was called .* timer\(\) of host\.runtime$/],
  [() => crypto.randomUUID(), /crypto\.randomUUID was called .* randomId\(\) and random\(\) of/],
  [() => fetch('http://localhost/'), /fetch was called .* only the nodes that the lock is given/],
])('a refusal names the call, and what to use in its place (%#)', async (use, said) => {
  await expect(new World({ guard: true }).run(() => void use())).rejects.toThrow(said);
});

test('guarded worlds that take turns on one thread each refuse their own, and leave everything as it was', async () => {
  const before = AMBIENT_OWNERS.map(Object.getOwnPropertyDescriptors);
  const { now } = Date;
  const worlds = Array.from({ length: 3 }, () => new World({ guard: true }));

  const runs = worlds.map((world, i) => {
    const a = world.process('a');
    return world.run(async () => {
      for (let n = 0; n < 300 * (i + 1); n++) await a.sleep(1);
      if (i === 1) Date.now();
    });
  });
  const ends = await Promise.allSettled(runs);

  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(Date.now).toBe(now);
  expect(AMBIENT_OWNERS.map(Object.getOwnPropertyDescriptors)).toEqual(before);
});

test('a reference that was taken while the guard was kept throws in a world, and works outside of it', async () => {
  const { now: original } = Date;
  const letGo = keepGuard();
  const { now } = Date;

  const run = new World({ guard: true }).run(() => void now());

  await expect(run).rejects.toThrow('Date.now');
  expect(now).not.toBe(original);
  expect(typeof now()).toBe('number');
  letGo();
  expect(Date.now).toBe(original);
});

const inWorld = (use: () => string): Promise<string> => new World({ guard: true }).run(use);

test('a foreign function throws while a guarded world runs, and so do its properties', async () => {
  const read = refusing(
    'read',
    Object.assign(() => 'read', { later: () => 'later' }),
  );
  await expect(inWorld(() => read())).rejects.toThrow('read was called');
  await expect(inWorld(() => read.later())).rejects.toThrow('read.later was called');
  expect([read(), read.later()]).toEqual(['read', 'later']);
  expect(await new World().run(() => read())).toBe('read');
});
