import { expect, test } from 'vitest';
import { stampFor } from '../src/stamp.ts';

test('a stamp is of whole milliseconds, the part of one left out', () => {
  expect(stampFor(1_700_000_000_000.5, 1_000)).toBe(1_700_000_001_001);
});
