import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { sha1Hex } from '../src/sha1.ts';

test('the digest is the one that FIPS 180 gives as an example', () => {
  expect(sha1Hex('abc')).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
});

test('the digest agrees with another implementation at every length around the blocks', () => {
  for (let length = 0; length <= 200; length++) {
    const text = 'Ж'.repeat(length % 7) + 'x'.repeat(length);

    expect(sha1Hex(text)).toBe(createHash('sha1').update(text).digest('hex'));
  }
});

test('a text of a megabyte is digested too', () => {
  const text = 'return 1 '.repeat(120_000);

  expect(sha1Hex(text)).toBe(createHash('sha1').update(text).digest('hex'));
});
