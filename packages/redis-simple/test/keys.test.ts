import { InvalidOptionError } from '@holdfast/core';
import { checkNamespace } from '@holdfast/core/backend';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { storedKeys } from '../src/store.ts';

test('an ordinary key is stored as its user wrote it, under one hash tag', () => {
  const { key, lock, fence, channel } = storedKeys('holdfast', 'orders/42:a b');

  expect({ key, lock, fence, channel }).toEqual({
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

/** Text made mostly of what the encoding treats specially. */
const text = fc
  .oneof(
    fc.string({
      unit: fc.constantFrom('{', '}', '%', '7', 'B', 'D', '2', '5', ':', 'v', '1', 'a'),
    }),
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('a:v1', ':v1:{', '}:lock', '%7B', '%257B', 'lock', 'fence'),
  )
  .filter((some) => some !== '');
interface LockName {
  readonly namespace: string;
  readonly key: string;
}

const place: fc.Arbitrary<LockName> = fc.record({ namespace: text, key: text });

const once = (some: string): string => some.replaceAll('{', '%7B').replaceAll('}', '%7D');
const encoded = (some: string): string => once(some).replaceAll('%', '%25');

/** Places that a careless encoding would take for `one`: written as it might be stored, or cut elsewhere. */
function lookalikes(one: LockName): LockName[] {
  return [once, encoded].flatMap((like) => [
    { ...one, key: like(one.key) },
    { ...one, namespace: like(one.namespace) },
    { namespace: `${one.namespace}:v1:{${like(one.key)}}:lock`, key: one.key },
    { namespace: one.namespace, key: `${like(one.key)}}:lock` },
  ]);
}

const pair = place.chain((one) =>
  fc.tuple(fc.constant(one), fc.oneof(place, fc.constantFrom(...lookalikes(one)))),
);

const namesOf = ({ namespace, key }: LockName): string[] => {
  const { lock, fence, channel } = storedKeys(namespace, key);
  return [lock, fence, channel];
};

test('two places share no stored key unless they are the same place', () => {
  fc.assert(
    fc.property(pair, ([one, other]) => {
      const same = one.namespace === other.namespace && one.key === other.key;
      const shared = namesOf(one).filter((name) => namesOf(other).includes(name));
      expect(shared.length).toBe(same ? 3 : 0);
    }),
    { numRuns: 20_000 },
  );
});

test('namespace and key can be read back from what is stored', () => {
  fc.assert(
    fc.property(place, ({ namespace, key }) => {
      const read = /^([^{]*):v1:\{([^}]*)\}:lock$/s.exec(storedKeys(namespace, key).lock);
      const unescaped = [read?.[1], read?.[2]].map((part) =>
        part?.replaceAll(/%(7B|7D|25)/g, (_, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        ),
      );
      expect(unescaped).toEqual([namespace, key]);
    }),
    { numRuns: 20_000 },
  );
});

/** The hash tag of the cluster specification: the text between the first `{` and the next `}`, unless it is empty. */
function hashTag(name: string): string {
  const open = name.indexOf('{');
  const close = name.indexOf('}', open + 1);
  return open === -1 || close === -1 || close === open + 1 ? name : name.slice(open + 1, close);
}

test('lock, fence and channel of one key lie in one slot of a cluster', () => {
  fc.assert(
    fc.property(place, (some) => {
      const tags = new Set(namesOf(some).map(hashTag));
      expect(tags.size).toBe(1);
    }),
    { numRuns: 20_000 },
  );
});
