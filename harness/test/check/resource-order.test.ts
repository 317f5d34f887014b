import type { HistoryEvent } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { judgeResourceOrder } from '../../src/check/index.ts';

const KEY = { key: 'k' };

function granted(client: string, atMs: number): HistoryEvent {
  return {
    type: 'granted',
    seq: atMs,
    atMs,
    client,
    ...KEY,
    hold: `${client}/1`,
    validUntilMs: atMs,
  };
}

function wrote(client: string, atMs: number, value: number): HistoryEvent {
  const what = { resource: 'counter', accepted: true, fenced: false, value, readValue: value - 1 };
  return { type: 'write', seq: atMs, atMs, client, ...KEY, hold: `${client}/1`, ...what };
}

function paused(client: string, atMs: number, untilMs: number): HistoryEvent {
  return { type: 'paused', seq: atMs, atMs, untilMs, client, ...KEY };
}

function kindsOf(history: readonly HistoryEvent[], heldBack: readonly string[] = []): string[] {
  const { validity, belief } = judgeResourceOrder(history, heldBack);
  return [validity.kind, belief.kind];
}

const MIXED = [granted('a', 1), granted('b', 4), wrote('b', 5, 1), wrote('a', 8, 1)];

test('writes that follow what they read are in order', () => {
  const history = [granted('a', 1), wrote('a', 2, 1), granted('b', 3), wrote('b', 4, 2)];

  expect(kindsOf(history)).toEqual(['ok', 'ok']);
});

test('a write between the read and the write of another breaks the lock', () => {
  expect(kindsOf(MIXED)).toEqual(['violated', 'violated']);
  expect(judgeResourceOrder(MIXED).validity.message).toBe(
    'a read 0, b wrote, and a wrote 1 all the same',
  );
});

test('a holder that was paused since its grant, or whose write was held back, is late', () => {
  expect(kindsOf([...MIXED, paused('a', 2, 7)])).toEqual(['ok', 'violated']);
  expect(kindsOf(MIXED, ['a'])).toEqual(['ok', 'violated']);
});

test('one that was paused before its grant could have known, and one paused after its write was not late', () => {
  expect(kindsOf([...MIXED, paused('a', 0, 1)])).toEqual(['violated', 'violated']);
  expect(kindsOf([...MIXED, paused('a', 9, 12)])).toEqual(['violated', 'violated']);
});

test('a pause excuses no other pair', () => {
  const others = [granted('c', 9), granted('d', 10), wrote('c', 11, 2), wrote('d', 12, 2)];

  expect(kindsOf([...MIXED, paused('a', 2, 7), ...others])).toEqual(['violated', 'violated']);
});
