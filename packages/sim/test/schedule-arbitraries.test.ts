import { expect, test } from 'vitest';
import { BATCH, batchOf, nodesIn, type Schedule, type Setup, schedulesFor } from '../src/index.ts';

function someOf(setup: Partial<Setup>): readonly Schedule[] {
  return batchOf(schedulesFor(['restart-empty'], { nodes: 3, renews: true, ...setup }), 1, 0);
}

/** How many servers each fault strikes. */
function struckIn(schedules: readonly Schedule[]): readonly number[] {
  return schedules.flatMap(({ faults }) =>
    faults.flatMap((fault) => ('nodes' in fault ? nodesIn(fault.nodes).length : [])),
  );
}

/** Of those who do not renew, and do not mean to be late; as a share of the ttl. */
function longest(schedules: readonly Schedule[]): number {
  const shares = schedules.flatMap(({ ops, ttlMs }) =>
    ops.flatMap(({ renews, holdMs }) => (renews || holdMs >= ttlMs ? [] : holdMs / ttlMs)),
  );
  return Math.max(...shares);
}

test.each([
  [undefined, [1, 2, 3]],
  ['minority', [1]],
  ['all', [3]],
] as const)('where a setup says that %s are struck, so many are', (struck, counts) => {
  const seen = new Set(struckIn(someOf(struck === undefined ? {} : { struck })));

  expect(seen).toEqual(new Set(counts));
});

test('a single server is all of them, and never less than half: it is struck all the same', () => {
  for (const struck of ['minority', 'all'] as const)
    expect(new Set(struckIn(someOf({ nodes: 1, struck })))).toEqual(new Set([1]));
});

test('whoever does not renew works for no longer than the share of the ttl that a lock allows', () => {
  expect(someOf({})).toHaveLength(BATCH);
  expect(longest(someOf({ fixedShare: 0.3 }))).toBeLessThanOrEqual(0.3);
  expect(longest(someOf({}))).toBeGreaterThan(0.6);
});
