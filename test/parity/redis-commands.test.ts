import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandSequences } from './support/command-sequences.ts';
import { Pair } from './support/pair.ts';

let pair: Pair;

beforeAll(async () => {
  pair = await Pair.start();
});

afterAll(() => pair.close());

test('the simulated server replies to every sequence of commands as a real one does', async () => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async (commands) => {
      expect(await pair.differences(commands)).toEqual([]);
    }),
    { numRuns: 1500, seed: 1 },
  );

  expect(pair.compared).toBeGreaterThan(30_000);
});
