import { expect, test } from 'vitest';
import { Counter } from '../../src/processes/counter.ts';

test('without fencing a late update overwrites another one', () => {
  const counter = new Counter();
  const late = counter.read(1n);
  const quick = counter.read(2n);

  counter.write({ plain: quick.plain + 1, fenced: null }, 2n);
  counter.write({ plain: late.plain + 1, fenced: null }, 1n);

  expect(counter.read(3n).plain).toBe(1);
});

test('a token smaller than the largest one seen is refused, on reads and writes', () => {
  const counter = new Counter();
  counter.read(2n);

  expect(counter.read(1n).fenced).toBeNull();
  expect(counter.write({ plain: 1, fenced: 1 }, 1n)).toEqual({ plain: true, fenced: false });
  expect(counter.write({ plain: 1, fenced: 1 }, 2n)).toEqual({ plain: true, fenced: true });
});

test('a read counts as seen: an earlier read can no longer be written back', () => {
  const counter = new Counter();
  const late = counter.read(1n);
  counter.read(2n);

  const taken = counter.write({ plain: 1, fenced: (late.fenced ?? 0) + 1 }, 1n);

  expect(taken.fenced).toBe(false);
});

test('an update without a token goes to the plain counter only', () => {
  const counter = new Counter();

  expect(counter.read(undefined)).toEqual({ plain: 0, fenced: null });
  expect(counter.write({ plain: 1, fenced: null }, undefined)).toEqual({
    plain: true,
    fenced: null,
  });
});
