import { randomBytes, randomUUID } from 'node:crypto';
import net from 'node:net';
import { setTimeout as nap } from 'node:timers/promises';
import { EPOCH_MS, World } from '@holdfast/harness/simulator';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { redirect } from './ambient.ts';
import { inside } from './current-process.ts';
import { Requests } from './resp.ts';

let restore = (): void => {};
beforeAll(() => {
  restore = redirect();
});
afterAll(() => restore());

/** The times that code sees that uses global clocks, before and after it has waited. */
async function look(): Promise<readonly number[]> {
  const before = [Date.now(), new Date().getTime(), performance.now()];
  await nap(10);
  await new Promise((resolve) => {
    setTimeout(resolve, 10);
  });
  return [...before, Date.now(), performance.now()];
}

test('two processes whose steps alternate each see their own clocks', async () => {
  const world = new World();
  const a = world.process('a', { wallOffsetMs: 1_000 });
  const b = world.process('b', { wallOffsetMs: -1_000 });
  const seen = await world.run(() => Promise.all([inside(a, look), inside(b, look)]));

  expect(seen).toEqual([
    [EPOCH_MS + 1_000, EPOCH_MS + 1_000, 1_000_000, EPOCH_MS + 1_020, 1_000_020],
    [EPOCH_MS - 1_000, EPOCH_MS - 1_000, 2_000_000, EPOCH_MS - 980, 2_000_020],
  ]);
});

function chance(): unknown[] {
  return [
    Math.random(),
    randomBytes(8).toString('hex'),
    randomUUID(),
    crypto.randomUUID(),
    crypto.getRandomValues(new Uint8Array(4)).join(),
  ];
}

test('random values are equal for one process in equal worlds, and differ between processes', async () => {
  const drawn = (name: string): unknown[] => inside(new World().process(name), chance);

  expect(drawn('a')).toEqual(drawn('a'));
  expect(drawn('a')).not.toEqual(drawn('b'));
  expect(chance()).not.toEqual(chance());
});

test('code outside of all processes sees the real machine', async () => {
  const beforeMs = Date.now();
  await new Promise((resolve) => {
    setTimeout(resolve, 1);
  });

  expect(beforeMs).toBeGreaterThan(EPOCH_MS + 86_400_000);
  expect(new Date()).toBeInstanceOf(Date);
});

test('a process that has died is called by no timer', async () => {
  const world = new World();
  const process = world.process('a');
  let calls = 0;
  inside(process, () => {
    const ticking = setInterval(() => calls++, 10);
    setTimeout(() => clearInterval(ticking), 35);
    setTimeout(() => calls--, 200);
  });
  world.at(100, () => process.crash());
  await world.settle();

  expect(calls).toBe(3);
});

test('there is no way to the world outside', () => {
  const process = new World().process('a');

  expect(() => inside(process, () => net.createConnection({ host: 'localhost', port: 1 }))).toThrow(
    'no network is known',
  );
});

test('commands are read whole, in whatever pieces they come', () => {
  const commands = fc.array(
    fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 5 }),
    {
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(commands, fc.integer({ min: 1, max: 7 }), (sent, size) => {
      const bytes = Buffer.from(sent.map(wire).join(''));
      const requests = new Requests();
      const read: (readonly string[])[] = [];
      for (let at = 0; at < bytes.length; at += size)
        read.push(...requests.take(bytes.subarray(at, at + size)));

      expect(read).toEqual(sent);
    }),
    { numRuns: 50 },
  );
});

function wire(args: readonly string[]): string {
  const bulks = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
  return `*${args.length}\r\n${bulks.join('')}`;
}
