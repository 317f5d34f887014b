import { InvalidOptionError } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { guard } from '../src/guard.ts';

const lease = { key: 'orders/42', owner: 'c0ffee:2:web:7', fencingToken: 91n };

describe('the comparison for a lease', () => {
  test('names its key, and the revision that created it', () => {
    const key = 'holdfast/v1/locks/orders%2F42/c0ffee-2';
    expect(guard(lease)).toEqual({ key, createRevision: 91n });
    expect(guard(lease, { namespace: 'billing' }).key).toBe(key.replace('holdfast', 'billing'));
  });

  test('leaves the fencing epoch out of the token', () => {
    const fencingToken = (3n << 53n) + 91n;
    expect(guard({ ...lease, fencingToken }).createRevision).toBe(91n);
  });

  test('of a revision that reaches into the fencing epoch never holds', () => {
    const fencingToken = 2n ** 53n + 91n;
    expect(guard({ ...lease, fencingToken }).createRevision).toBeLessThan(fencingToken);
  });

  test.each([
    { ...lease, fencingToken: undefined },
    { ...lease, owner: 'somebody' },
  ])('is refused without a token, and for a foreign owner', (other) => {
    expect(() => guard(other)).toThrow(InvalidOptionError);
  });
});
