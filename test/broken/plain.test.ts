import type { openRedisSimple } from '@holdfast/redis-simple';
import { expect, test } from 'vitest';
import { TARGET_OF } from '../../harness/test/kit/matrix.ts';
import { search } from '../../harness/test/kit/search.ts';
import { importCopy } from '../mutation/copies.ts';
import { besideNeighbour } from '../properties/support/plain-neighbour.ts';
import { type Change, copyOf } from './mutate.ts';

type Open = typeof openRedisSimple;

async function violationOf(
  change?: Omit<Change, 'package'>,
  fault: 'none' | 'pause' = 'none',
): Promise<string> {
  const name = change?.name ?? 'redis-simple';
  const folder = copyOf(
    ['redis-simple'],
    name,
    change && { ...change, package: 'redis-simple' as const },
  );
  const { openRedisSimple: open } = await importCopy<{ readonly openRedisSimple: Open }>(
    folder,
    'redis-simple',
  );
  const { counterexample } = await search({
    subject: besideNeighbour(open),
    faults: [fault],
    seed: 1,
    budget: 100,
    targets: [TARGET_OF.validity],
  });
  return counterexample?.violation.message ?? 'none';
}

test('the right lock is not found beside the neighbour', async () => {
  expect(await violationOf()).toBe('none');
});

test.each([
  {
    name: 'plain-takes-what-is-not-its-own',
    fault: 'none' as const,
    file: 'plain/scripts.ts',
    find: 'if holder ~= contender or tonumber(m) >= tonumber(n) then',
    replace: 'if holder == contender and tonumber(m) >= tonumber(n) then',
  },
  {
    name: 'plain-deletes-without-comparing',
    fault: 'pause' as const,
    file: 'plain/scripts.ts',
    find: "if redis.call('GET', KEYS[1]) ~= ARGV[1] then",
    replace: "if not redis.call('GET', KEYS[1]) then",
  },
])('$name is found: two clients hold', async ({ fault, ...change }) => {
  expect(await violationOf(change, fault)).toMatch(/both held k validly/);
});
