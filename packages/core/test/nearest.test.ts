import { expect, test } from 'vitest';
import { didYouMean, editDistance, nearest } from '../src/quote.ts';

test('one slip of the finger is one edit', () => {
  expect(editDistance('ttlMs', 'ttlMs')).toBe(0);
  expect(editDistance('ttl', 'ttlMs')).toBe(2);
  expect(editDistance('namespce', 'namespace')).toBe(1);
  expect(editDistance('wiatMs', 'waitMs')).toBe(1);
  expect(editDistance('', 'abc')).toBe(3);
});

test('the nearest name is suggested, in any case', () => {
  expect(nearest('TTLMS', ['waitMs', 'ttlMs'])).toBe('ttlMs');
  expect(nearest('redis_simple', ['memory', 'redis-simple'])).toBe('redis-simple');
});

test('a word that is near to nothing suggests nothing', () => {
  expect(nearest('postgres', ['memory', 'redis-simple'])).toBeUndefined();
  expect(nearest('zk', ['cp'])).toBeUndefined();
  expect(didYouMean('postgres', ['memory'])).toBe('');
});

test('the only name that begins with the word is meant rather than one that looks like it', () => {
  expect(nearest('ttl', ['url', 'ttlMs', 'waitMs'])).toBe('ttlMs');
  expect(nearest('redis', ['memory', 'redis-simple'])).toBe('redis-simple');
  expect(nearest('redi', ['redis', 'rediss'])).toBe('redis');
});
