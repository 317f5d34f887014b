import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandSequences } from '../../parity/support/command-sequences.ts';
import { beyondNames, luaDifferences } from '../../parity/support/lua-differences.ts';
import { luaExpressions } from '../../parity/support/lua-expressions.ts';
import { Pair } from '../../parity/support/pair.ts';

let pair: Pair;

beforeAll(async () => {
  pair = await Pair.start();
});

afterAll(() => pair.close());

const SEEDS = [2, 3, 4, 5];
/** A million commands between the seeds. */
const COMPARED_MIN = 250_000;
const SEQUENCES = 10_000;
/** So many are on their way at once: the server works on the next while we compare the one before. */
const PIPELINED = 8;

const several = fc.array(commandSequences, { minLength: PIPELINED, maxLength: PIPELINED });

test.each(SEEDS)('commands in great number agree with a real server, seed %i', async (seed) => {
  const before = pair.compared;

  await fc.assert(
    fc.asyncProperty(several, async (sequences) => {
      const found = await Promise.all(sequences.map((commands) => pair.differences(commands)));
      expect(found.flat()).toEqual([]);
    }),
    { numRuns: SEQUENCES / PIPELINED, seed },
  );

  expect(pair.compared - before).toBeGreaterThan(COMPARED_MIN);
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
