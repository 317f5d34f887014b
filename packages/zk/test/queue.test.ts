import { array, assert, integer, property, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isBefore,
  isNearEnd,
  isNeighbour,
  parseQueueNode,
  positionOf,
  queueOf,
} from '../src/queue.ts';

const INT32_MAX = 2 ** 31 - 1;

/** As `String.format("%010d", sequence)` prints it. */
function named(contender: string, sequence: number): string {
  const digits = String(Math.abs(sequence));
  return `${contender}-lock-${sequence < 0 ? `-${digits.padStart(9, '0')}` : digits.padStart(10, '0')}`;
}

function place(name: string): NonNullable<ReturnType<typeof parseQueueNode>> {
  const parsed = parseQueueNode(name);
  if (parsed === undefined) throw new Error(name);
  return parsed;
}

describe('the name of a contender', () => {
  test('tells who it is and when it came', () => {
    assert(
      property(integer({ min: -INT32_MAX - 1, max: INT32_MAX }), (sequence) => {
        const name = named('c0ffee', sequence);
        expect(parseQueueNode(name)).toEqual({ name, contender: 'c0ffee', sequence });
      }),
    );
  });

  test.each([
    ['c0ffee-lock-'],
    ['c0ffee-lock-42'],
    ['c0ffee-lock-0000000001x'],
    ['-lock-0000000001'],
    ['lock-0000000001'],
    ['c0ffee-lock-9999999999'],
    // Servers count in 32 signed bits.
    ['c0ffee-lock-2147483648'],
    ['c0ffee-lock--2147483649'],
    // Other locks of kazoo and Curator.
    ['c0ffee__rlock__0000000001'],
    ['_c_c0ffee-__WRIT__0000000001'],
    ['leases'],
    ['readme'],
  ])('%s is none', (name) => {
    expect(parseQueueNode(name)).toBeUndefined();
    expect(queueOf([name, named('a', 1)]).foreignNodes).toEqual([name]);
  });
});

describe('a contender of another library', () => {
  test.each([
    ['_c_7f1e-lock-0000000003', '_c_7f1e', true],
    ['c0ffee__lock__0000000003', 'c0ffee', true],
    ['c0ffee-lock-0000000003', 'c0ffee', false],
  ])('is in the same order: %s', (name, contender, isOther) => {
    const node = place(name);

    expect(node).toEqual({ name, contender, sequence: 3 });
    expect(isNeighbour(node)).toBe(isOther);
    expect(isBefore(node, place(named('a', 4)))).toBe(true);
  });

  test.each([
    [0, false],
    [INT32_MAX - 1_000_000, false],
    [INT32_MAX - 999_999, true],
    [-INT32_MAX - 1, true],
  ])('may order entry %i wrongly: %s', (sequence, isNear) => {
    expect(isNearEnd(place(named('a', sequence)))).toBe(isNear);
  });
});

describe('the order', () => {
  test('is that of the sequence, also where it overflows', () => {
    const first = place(named('a', INT32_MAX));
    const second = place(named('b', -INT32_MAX - 1));

    expect(isBefore(first, second)).toBe(true);
    expect(isBefore(second, first)).toBe(false);
    expect(queueOf([second.name, first.name]).nodes).toEqual([first, second]);
  });

  test('does not depend on the order of a listing, wherever the sequence has got to', () => {
    const start = integer({ min: -INT32_MAX - 1, max: INT32_MAX });
    const steps = uniqueArray(integer({ min: 0, max: 1_000 }), { minLength: 1 });
    assert(
      property(start, steps, array(integer()), (from, came, weights) => {
        const inOrder = came
          .toSorted((a, b) => a - b)
          .map((step) => named(`c${step}`, (from + step) | 0));
        const shuffled = inOrder
          .map((name, i) => ({ name, weight: weights[i] ?? 0 }))
          .toSorted((a, b) => a.weight - b.weight)
          .map(({ name }) => name);

        const queue = queueOf([...shuffled, 'readme']);
        expect(queue.nodes.map(({ name }) => name)).toEqual(inOrder);
        for (const [i, name] of inOrder.entries()) {
          const before = inOrder[i - 1];
          expect(positionOf(place(name), queue)).toEqual(
            before === undefined
              ? { kind: 'first' }
              : { kind: 'behind', predecessor: place(before), ahead: i },
          );
        }
      }),
    );
  });

  test('has no place for a contender that does not stand there', () => {
    const queue = queueOf([named('a', 1), named('c', 3)]);

    expect(positionOf(place(named('b', 2)), queue)).toEqual({ kind: 'absent' });
    expect(positionOf(place(named('b', 2)), queueOf([]))).toEqual({ kind: 'absent' });
  });

  test('finds a contender beside another whose node was given the same number by hand', () => {
    const queue = queueOf([named('a', 1), named('b', 2), named('c', 2)]);

    for (const contender of ['b', 'c']) {
      expect(positionOf(place(named(contender, 2)), queue).kind).toBe('behind');
    }
    expect(positionOf(place(named('d', 2)), queue)).toEqual({ kind: 'absent' });
  });
});

test('a listing is as long as its names, each with its length', () => {
  expect(queueOf([]).bytes).toBe(0);
  expect(queueOf(['abc', named('a', 1)]).bytes).toBe(4 + 3 + 4 + 17);
});
