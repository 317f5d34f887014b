import { expect, test } from 'vitest';
import { median, percentile } from '../../src/check/statistics.ts';

test('percentiles are values that occurred', () => {
  const values = [5, 1, 4, 2, 3];

  expect(median(values)).toBe(3);
  expect(percentile(values, 0.99)).toBe(5);
  expect(percentile(values, 0)).toBe(1);
  expect(median([1, 2])).toBe(1);
});

test('nothing has no median', () => {
  expect(median([])).toBeNull();
});
