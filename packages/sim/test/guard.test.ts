import { expect, test } from 'vitest';
import { SimAmbientError, World } from '../src/index.ts';

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
        // As code may well do.
      }
      await a.sleep(1);
    });

    await expect(run).rejects.toThrow(SimAmbientError);
    await expect(run).rejects.toThrow(what);
  },
);

test('what depends on no clock still works in a guarded world', async () => {
  const world = new World({ guard: true });

  const shown = await world.run(() => new Date(0).toISOString());

  expect(shown).toBe('1970-01-01T00:00:00.000Z');
});

test('after a run everything is as it was', async () => {
  const before = AMBIENT_OWNERS.map(Object.getOwnPropertyDescriptors);

  await new World({ guard: true }).run(() => {});

  expect(AMBIENT_OWNERS.map(Object.getOwnPropertyDescriptors)).toEqual(before);
});

test('between its batches a guarded world lets others on the thread use what it bans', async () => {
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
