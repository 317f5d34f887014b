import type { Inspection } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { type Change, HoldHistory } from '../../src/cli/operator/hold-history.ts';

const FREE: Inspection = { key: 'k', held: false };
const held = (contender: string, more: Partial<Inspection> = {}): Inspection => ({
  key: 'k',
  held: true,
  owner: `${contender}:1:box`,
  holder: 'box',
  remainingMs: 5_000,
  ...more,
});

/** Looks at each time, and names what each look has found. */
function seen(looks: readonly (readonly [atMs: number, inspection: Inspection])[]): string[][] {
  const history = new HoldHistory();
  return looks.map(([atMs, inspection]) => history.look(inspection, atMs, 1e12 + atMs).map(nameOf));
}

function nameOf(each: Change): string {
  const { contender, losses } = each.hold;
  const what = each.change === 'ended' ? each.how : each.change;
  return `${contender} ${what}${losses === 0 ? '' : `, ${losses} lost`}`;
}

describe('a watch sees', () => {
  test('that a hold which ended before its lease was over was released', () => {
    expect(
      seen([
        [0, held('a')],
        [1_000, held('a', { remainingMs: 4_000 })],
        [4_999, FREE],
      ]),
    ).toEqual([['a held'], [], ['a released']]);
  });

  test('that one whose lease had run out expired, and counts that for the key', () => {
    const looks = [
      [0, held('a')],
      [5_000, FREE],
      [6_000, held('b')],
      [12_000, held('c')],
    ] as const;
    expect(seen(looks)).toEqual([
      ['a held'],
      ['a expired, 1 lost'],
      ['b held, 1 lost'],
      ['b expired, 2 lost', 'c held, 2 lost'],
    ]);
  });

  test('that it does not know, where the store says nothing about the time', () => {
    const looks = [
      [0, held('a', { remainingMs: undefined })],
      [9_000, FREE],
    ] as const;
    expect(seen(looks)).toEqual([['a held'], ['a unknown']]);
  });

  test('no change in a renewal, a healing or a free key', () => {
    const healed = held('a', { owner: 'a:2:box', remainingMs: 9_000 });
    expect(
      seen([
        [0, FREE],
        [1, held('a')],
        [2, healed],
        [3, held('a')],
      ]),
    ).toEqual([[], ['a held'], [], []]);
  });

  test('how many wait', () => {
    const looks = [0, 1, 1].map((waiters, at) => [at, held('a', { waiters })] as const);
    expect(seen(looks)).toEqual([['a held'], ['a waiters'], []]);
  });
});

test('a hold keeps the time when it was seen first', () => {
  const history = new HoldHistory();
  history.look(held('a'), 0, 1_000);
  history.look(held('a'), 500, 1_500);

  expect(history.holds.map(({ firstSeenMs }) => firstSeenMs)).toEqual([1_000]);
});
