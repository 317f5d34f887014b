import { expect, test } from 'vitest';
import { boundedOf, spreadOf } from '../../src/lab/evaluation/figures.ts';
import { medianRanks, wilson } from '../../src/lab/trials/statistics.ts';

test('the interval of a rate is that of Wilson', () => {
  // Worked out by hand from the formula, and the same in published tables.
  expect(wilson(10, 10).low).toBeCloseTo(0.7225, 3);
  expect(wilson(10, 10).high).toBe(1);
  expect(wilson(0, 10).high).toBeCloseTo(0.2775, 3);
  expect(wilson(5, 10).low).toBeCloseTo(0.2366, 3);
  expect(wilson(5, 10).high).toBeCloseTo(0.7634, 3);
});

test('a rate of nothing says nothing', () => {
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
});

test('what never ended counts as longer than all that did', () => {
  expect(spreadOf([10, 20, null])).toEqual({
    samples: 3,
    unended: 1,
    median: 20,
    p95: null,
    max: null,
  });
  expect(spreadOf([10, null, null]).median).toBeNull();
  expect(spreadOf([])).toMatchObject({ samples: 0, median: null });
});

test('between which of the values the median lies is known from tables', () => {
  // 2 × (1 + 6) / 2⁶ is too much, 2 / 2⁶ is not; for 10 and 20 see any table of the sign test.
  expect([5, 6, 10, 20].map(medianRanks)).toEqual([undefined, [1, 6], [2, 9], [6, 15]]);
});

test('what never ended is above whatever bound', () => {
  expect(boundedOf([1, 2, 3, 4, 5, null]).interval).toEqual({ low: 1, high: null });
  expect(boundedOf([1, 2, 3]).interval).toBeNull();
});
