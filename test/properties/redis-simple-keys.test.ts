import fc from 'fast-check';
import { expect, test } from 'vitest';
import { storedKeys } from '../../packages/redis-simple/src/store.ts';

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
interface Place {
  readonly namespace: string;
  readonly key: string;
}

const place: fc.Arbitrary<Place> = fc.record({ namespace: text, key: text });

const once = (some: string): string => some.replaceAll('{', '%7B').replaceAll('}', '%7D');
const encoded = (some: string): string => once(some).replaceAll('%', '%25');

/** Places that a careless encoding would take for `one`: written as it might be stored, or cut elsewhere. */
function lookalikes(one: Place): Place[] {
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

const namesOf = ({ namespace, key }: Place): string[] => {
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

/** As the cluster specification says: what is between the first `{` and the first `}` behind it, unless that is nothing. */
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
