import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOf, layoutOf, lockIn, markKeyOf, prefixOf } from '../src/keys.ts';

const layout = layoutOf('holdfast');

describe('the prefix of a lock', () => {
  test.each([
    ['orders/42', 'holdfast/v1/locks/orders%2F42/'],
    ['a', 'holdfast/v1/locks/a/'],
    ['a/', 'holdfast/v1/locks/a%2F/'],
    ['100%', 'holdfast/v1/locks/100%25/'],
    ['🔑', 'holdfast/v1/locks/%F0%9F%94%91/'],
  ])('of %s is %s, in all versions', (key, prefix) => {
    expect(prefixOf(layout, key)).toBe(prefix);
  });

  test('is no part of the range of another lock, and tells the key', () => {
    const anyKey = string({ unit: 'grapheme', minLength: 1 });
    assert(
      property(anyKey, anyKey, (a, b) => {
        const stored = `${prefixOf(layout, b)}someone-1`;
        const isInRange = stored >= prefixOf(layout, a) && stored < endOf(prefixOf(layout, a));

        expect(isInRange).toBe(a === b);
        expect(lockIn(layout, stored)).toBe(b);
      }),
      {
        numRuns: 500,
        examples: [
          ['a/', 'a/b'],
          ['a', 'a/b'],
          ['a', 'a0'],
        ],
      },
    );
  });

  test('of another namespace is another one', () => {
    expect(prefixOf(layoutOf('a/v1/locks/b'), 'c')).not.toBe(prefixOf(layoutOf('a'), 'b/c'));
  });

  test('is never a mark', () => {
    expect(lockIn(layout, markKeyOf(layout, 'epoch'))).toBeUndefined();
    expect(lockIn(layout, 'holdfast/v1/locks/half')).toBeUndefined();
    expect(lockIn(layout, 'holdfast/v1/locks/%E0%A4/x')).toBeUndefined();
  });
});
