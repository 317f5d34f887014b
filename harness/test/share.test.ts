import { BATCH } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { subjectOf } from '../src/locks/index.ts';
import { batchesOf, search, sizeOf, subShare, WHOLE } from '../src/search/index.ts';

const SHARES = [1, 2, 3, 8].flatMap((of) =>
  Array.from({ length: of }, (_, first) => ({ first, of })),
);

/** What a share holds, counted one by one. */
function counted(budget: number, { first, of }: (typeof SHARES)[number]): number {
  const places = Array.from({ length: budget }, (_, i) => Math.floor(i / BATCH));
  return places.filter((batch) => batch % of === first).length;
}

test.each([1, 63, 64, 65, 500, 1_024])(
  'of %i schedules the size of each share is what it holds, and together they are all',
  (budget) => {
    for (const share of SHARES)
      expect([share, sizeOf(budget, share)]).toEqual([share, counted(budget, share)]);
    const eighths = SHARES.filter(({ of }) => of === 8).map((share) => sizeOf(budget, share));
    expect(eighths.reduce((sum, size) => sum + size)).toBe(budget);
  },
);

test('billions are counted at once, and exactly', () => {
  const shares = Array.from({ length: 1_000 }, (_, first) => ({ first, of: 1_000 }));

  const sizes = shares.map((share) => sizeOf(10_000_000_007, share));

  expect(sizes.reduce((sum, size) => sum + size)).toBe(10_000_000_007);
});

test('a share is divided among threads as the whole is among machines', () => {
  const shard = { first: 2, of: 8 };
  const threads = [0, 1, 2].map((nth) => subShare(shard, nth, 3));

  const batches = threads.map((share) => [...batchesOf(share, 0, () => 64 * 100)]);

  expect(batches.flat().toSorted((a, b) => a - b)).toEqual([
    ...batchesOf(shard, 0, () => 64 * 100),
  ]);
});

describe('a search that goes on after a place', () => {
  const options = { subject: subjectOf('memory'), faults: ['pause'], seed: 5 } as const;

  test.each([0, 1, 8, 63, 64, 65, 130])(
    'after %i plays what is left, each schedule once',
    async (after) => {
      const places: number[] = [];
      const onViolation = (...[, , n]: [unknown, unknown, number]): void => void places.push(n);

      const { tally } = await search({ ...options, budget: 150, after, onViolation });

      expect(tally.schedules).toBe(150 - after);
      expect(Math.min(...places)).toBeGreaterThan(after);
    },
  );

  test('begins with the batch that holds the next place, and with none before', () => {
    expect([...batchesOf(WHOLE, 130, () => 300)]).toEqual([2, 3, 4]);
    expect([...batchesOf({ first: 1, of: 3 }, 130, () => 600)]).toEqual([4, 7]);
  });
});
