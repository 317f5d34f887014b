import { InvalidOptionError } from '@holdfast/core';
import { checkNamespace } from '@holdfast/core/backend';
import { assert, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkLocksAt,
  containerOf,
  decodeName,
  encodeName,
  layoutOf,
  sessionNodeOf,
} from '../src/keys.ts';
import { Bench } from './support/bench.ts';

/** Well-formed keys with characters that break careless encodings. */
const anyKey = string({ unit: 'binary', minLength: 1 });
const oddKey = string({ unit: oddUnit(), minLength: 1 });

function oddUnit(): ReturnType<typeof string> {
  return string({ minLength: 1, maxLength: 2, unit: 'grapheme' });
}

describe('the name of a key', () => {
  test.each([
    ['orders/42', 'orders%2F42'],
    ['.', '%2E'],
    ['..', '%2E%2E'],
    ['...', '...'],
    ['zookeeper', '%7Aookeeper'],
    ['zookeeper/quota', 'zookeeper%2Fquota'],
    ['100%', '100%25'],
    ['%2E', '%252E'],
    ['🔑', '%F0%9F%94%91'],
  ])('%s is stored as %s, in all versions', (key, name) => {
    expect(encodeName(key)).toBe(name);
    expect(decodeName(name)).toBe(key);
  });

  test('is one that ZooKeeper takes, and tells the key', () => {
    assert(
      property(oneof(anyKey, oddKey), (key) => {
        const name = encodeName(key);
        expect(decodeName(name)).toBe(key);
        expect(name).toMatch(/^[A-Za-z0-9_.!~*'()%-]+$/);
        expect(['.', '..', 'zookeeper']).not.toContain(name);
      }),
      { numRuns: 200 },
    );
  });

  test('is stored under the namespace and a version, beside the sessions', () => {
    const layout = layoutOf('a/b');

    expect(layout.roots).toEqual(['/a%2Fb', '/a%2Fb/v1', '/a%2Fb/v1/locks', '/a%2Fb/v1/sessions']);
    expect(containerOf(layout, 'k')).toBe('/a%2Fb/v1/locks/k');
    expect(sessionNodeOf(layout, 0x1000_0000_0000_0001n)).toBe(
      '/a%2Fb/v1/sessions/0x1000000000000001',
    );
    expect(sessionNodeOf(layout, -1n)).toBe('/a%2Fb/v1/sessions/0xffffffffffffffff');
  });
});

test.each([[''], ['a\u0000'], ['\ud800'], ['x'.repeat(129)], [7]])(
  'namespace %j is refused',
  (namespace) => {
    expect(() => checkNamespace(namespace, 'zk')).toThrow(InvalidOptionError);
  },
);

describe('with containers where other libraries have theirs', () => {
  test('a key is the name of a node there, and all else stays in the namespace', () => {
    const layout = layoutOf('holdfast', '/apps/locks');

    expect(containerOf(layout, 'orders')).toBe('/apps/locks/orders');
    expect(layout.roots).toEqual([
      '/apps',
      '/holdfast',
      '/holdfast/v1',
      '/apps/locks',
      '/holdfast/v1/sessions',
    ]);
  });

  test('a key takes no newcomer near the end of its sequence, which they would order wrongly', async () => {
    const at = new Bench();
    const a = await at.actor('a', { locksAt: '/apps/locks' });
    await a.take('c1');
    at.tree.at('/apps/locks/k').made = 2 ** 31 - 1_000;

    const attempt = await a.attempt(a.contend('c2'));

    expect(attempt).toMatchObject({ kind: 'refused', error: { code: 'SEQUENCE_END' } });
  });

  test('the store is another one: its marks are not those of the namespace', () => {
    const marks = [undefined, '/locks', '/locks/a'].map((at) => layoutOf('holdfast', at).marks);

    expect(new Set(marks).size).toBe(3);
  });

  test.each(['locks', '/', '/locks/', '/a//b', '/a/../b', '/zookeeper/x', '/holdfast/v1', '/a\0'])(
    '%j is refused before anything connects',
    (path) => {
      expect(() => checkLocksAt(path, 'holdfast')).toThrow(/locksAt must be an absolute path/);
    },
  );

  test('names that no key has are not keys', () => {
    expect(decodeName('100%')).toBeUndefined();
    expect(decodeName('a b')).toBeUndefined();
  });
});
