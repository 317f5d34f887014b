import type { openRedisSimple } from '@holdfast/redis-simple';
import type { openRedlock } from '@holdfast/redlock';
import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { TARGET_OF } from '../../harness/test/kit/matrix.ts';
import { search } from '../../harness/test/kit/search.ts';
import { importCopy } from '../mutation/copies.ts';
import { handedOver } from '../properties/support/handed-over.ts';
import { type Change, copyOf } from './mutate.ts';

interface Recipe {
  readonly openRedisSimple: typeof openRedisSimple;
  readonly openRedlock: typeof openRedlock;
}

const BUDGET = 60;

/** In how many hand-overs of a copy with this mistake both adopters won. Of a right lock: `test/properties/hand-over.test.ts`. */
async function adoptedTwice(of: 'redis-simple' | 'redlock', change: Change): Promise<number> {
  const folder = copyOf([of], change.name, change);
  const recipe = await importCopy<Recipe>(folder, of);
  const { subject, seen } = handedOver({
    ...subjectOf(of === 'redlock' ? 'redlock-3' : of),
    open: ({ node, nodes }, host) =>
      of === 'redlock'
        ? recipe.openRedlock({ nodes }, host)
        : recipe.openRedisSimple({ node }, host),
  });
  await search({
    subject,
    faults: ['reorder'],
    setup: {},
    seed: 1,
    budget: BUDGET,
    targets: [TARGET_OF.validity],
  });
  return seen.twice;
}

test.each([
  [
    'redis-simple',
    'adopts-what-is-stored',
    'adopt-script.ts',
    'if held ~= exported then',
    'if not held then',
  ],
  [
    'redlock',
    'adopts-by-a-minority',
    'adopter.ts',
    'countAgreed(replies) < quorum',
    'countAgreed(replies) < quorum - 1',
  ],
] as const)('%s that %s lets two adopters in', async (of, name, file, find, replace) => {
  const change: Change = { name: `${of}-${name}`, package: of, file, find, replace };

  expect(await adoptedTwice(of, change)).toBeGreaterThan(0);
});
