import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LUA_CORPUS, LUA_LINES } from './support/lua-corpus.ts';
import { beyondNames, luaDifferences } from './support/lua-differences.ts';
import { luaExpressions } from './support/lua-expressions.ts';
import { Pair } from './support/pair.ts';

let pair: Pair;

beforeAll(async () => {
  pair = await Pair.start();
});

afterAll(() => pair.close());

test('every snippet of the corpus gives equal replies, errors and their positions included', async () => {
  const snippets = [...LUA_CORPUS, ...LUA_LINES];

  const differences = await luaDifferences(pair, snippets);

  expect(differences).toEqual([]);
  expect(snippets.length).toBeGreaterThan(350);
});

test('generated expressions have equal values, or fail with equal errors', async () => {
  await fc.assert(
    fc.asyncProperty(luaExpressions, async (script) => {
      expect(beyondNames(await luaDifferences(pair, [script]))).toEqual([]);
    }),
    { numRuns: 1500, seed: 1 },
  );
});
