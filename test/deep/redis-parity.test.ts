import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandSequences } from '../parity/support/command-sequences.ts';
import { beyondNames, luaDifferences } from '../parity/support/lua-differences.ts';
import { luaExpressions } from '../parity/support/lua-expressions.ts';
import { Pair } from '../parity/support/pair.ts';

let pair: Pair;

beforeAll(async () => {
  pair = await Pair.start();
});

afterAll(() => pair.close());

const SEEDS = [2, 3, 4, 5];

test.each(SEEDS)('commands in great number agree with a real server, seed %i', async (seed) => {
  await fc.assert(
    fc.asyncProperty(commandSequences, async (commands) => {
      expect(await pair.differences(commands)).toEqual([]);
    }),
    { numRuns: 10_000, seed },
  );
});

test.each(SEEDS)(
  'Lua expressions in great number agree with a real server, seed %i',
  async (seed) => {
    await fc.assert(
      fc.asyncProperty(luaExpressions, async (script) => {
        expect(beyondNames(await luaDifferences(pair, [script]))).toEqual([]);
      }),
      { numRuns: 10_000, seed },
    );
  },
);
