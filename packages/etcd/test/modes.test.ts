import { nameInMode } from '@holdfast/core/queue';
import { describe, expect, test } from 'vitest';
import { bellKeyOf, layoutOf, lockIn, prefixOf, recordKeyOf } from '../src/keys.ts';
import { modesOf, positionInMode } from '../src/modes/mode-position.ts';

const layout = layoutOf('holdfast');
const PERMITS = { kind: 'permits', permits: 2, of: 3 } as const;

/** The keys of contenders with these names, in order of arrival, from revision 1 on. */
function queue(...names: string[]) {
  return names.map((name, i) => ({
    key: `${prefixOf(layout, 'k')}${name}`,
    value: '',
    createRevision: BigInt(i + 1),
    modRevision: BigInt(i + 1),
    lease: 7n,
  }));
}

describe('a contender in a mode', () => {
  const reader = nameInMode('r-1', { kind: 'shared' });
  const holder = nameInMode('p-1', PERMITS);

  test.each([
    ['holds beside the readers in front', [reader, reader, 'x-1'], 2n, 'first'],
    ['waits for the last one that is no reader', ['x-1', 'x-2', reader], 3n, 'behind'],
    ['is refused beside permits', [holder, reader], 2n, 'other-mode'],
    ['is refused beside permits for which others wait', [holder, 'x-1', reader], 3n, 'other-mode'],
    ['waits if one in front only waits for permits', ['x-1', holder, reader], 3n, 'behind'],
    ['is absent if its key is gone', [reader], 2n, 'absent'],
  ] as const)('%s', (_, names, own, kind) => {
    expect(positionInMode('shared', own, queue(...names)).kind).toBe(kind);
  });

  test('is the first that waits for permits, or waits for the one in front', () => {
    const keys = queue(holder, holder, holder);

    expect(positionInMode('permits', 1n, keys)).toMatchObject({ kind: 'first', otherOf: 3 });
    expect(positionInMode('permits', 2n, keys)).toEqual({ kind: 'short', otherOf: 3 });
    expect(positionInMode('permits', 3n, keys)).toEqual({ kind: 'behind', predecessor: keys[1] });
    expect(modesOf(keys).holders).toBe(1);
  });

  test.each([
    ['none, in front of all', [5], 1n, 5],
    ['none beside those that know of as many', [5, 5], 2n, 5],
    ['a smaller one', [2, 5], 2n, 2],
    ['a larger one', [5, 2], 2n, 5],
    ['a larger one behind one that knows of as many', [2, 5, 2], 3n, 5],
    ['not one that comes later', [2, 2, 5], 2n, 2],
  ])('hears of another number of permits: %s', (_, numbers, own, otherOf) => {
    const names = numbers.map((of) => nameInMode('p-1', { kind: 'permits', permits: 1, of }));

    expect(positionInMode('permits', own, queue(...names))).toMatchObject({ otherOf });
  });

  test('is refused behind a key without a lease', () => {
    const keys = queue('by-hand', reader).map((each, i) =>
      i === 0 ? { ...each, lease: 0n } : each,
    );

    expect(positionInMode('shared', 2n, keys)).toEqual({ kind: 'foreign', key: keys[0]?.key });
  });
});

test('what readers and waiters keep beside the queue is in no queue', () => {
  for (const key of [recordKeyOf(layout, 'a/b'), bellKeyOf(layout, 'a/b', 'c0ffee-1')])
    expect(lockIn(layout, key)).toBeUndefined();
  expect(bellKeyOf(layout, 'k', '')).not.toBe(bellKeyOf(layout, 'k', 'c0ffee-1'));
});
