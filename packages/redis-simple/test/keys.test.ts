import { checkNamespace, InvalidOptionError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { storedKeys } from '../src/store.ts';

test('an ordinary key is stored as its user wrote it, under one hash tag', () => {
  expect(storedKeys('holdfast', 'orders/42:a b')).toEqual({
    key: 'orders/42:a b',
    lock: 'holdfast:v1:{orders/42:a b}:lock',
    fence: 'holdfast:v1:{orders/42:a b}:fence',
    channel: 'holdfast:v1:{orders/42:a b}:channel',
  });
});

test('braces and the escape itself are escaped in key and namespace', () => {
  expect(storedKeys('a{b}', '}{%7D').lock).toBe('a%7Bb%7D:v1:{%7D%7B%257D}:lock');
});

test('a namespace cannot be made to look like a key of another one', () => {
  expect(storedKeys('a', 'b').lock).not.toBe(storedKeys('a:v1:{b}:lock', 'b').lock);
  expect(storedKeys('a:v1', 'b').lock).not.toBe(storedKeys('a', 'v1:{b').lock);
});

test.each([[''], [' \n'], ['\uD800'], ['x'.repeat(129)], [undefined], [7]])(
  'the namespace %j is refused before anything is opened',
  (namespace) => {
    expect(() => checkNamespace(namespace, 'redis-simple')).toThrow(InvalidOptionError);
  },
);
