import type { HoldMode } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { fifo } from '../../src/check/index.ts';
import { granted, merged, story } from './support/story.ts';

const IN_TURN = merged(granted('a1', 0, 500), granted('b1', 600, 900), granted('c1', 1_000, 1_500));

test('whoever came earlier is granted earlier', () => {
  const places = [
    { hold: 'c1', zxid: 9 },
    { hold: 'a1', zxid: 4 },
    { hold: 'b1', zxid: 7 },
  ];

  expect(fifo(IN_TURN, places)).toMatchObject({
    property: 'fifo',
    kind: 'ok',
    message: '3 grants came in queue order',
  });
});

test('whoever is served before somebody that came earlier and stayed has overtaken it', () => {
  const places = [
    { hold: 'a1', zxid: 4 },
    { hold: 'b1', zxid: 9 },
    { hold: 'c1', zxid: 7 },
  ];

  const verdict = fifo(IN_TURN, places);

  expect(verdict).toMatchObject({ property: 'fifo', kind: 'violated' });
  expect(verdict.message).toContain('b was granted k before c');
  expect(verdict.proof.map(({ type, client }) => [type, client])).toEqual([
    ['granted', 'b'],
    ['granted', 'c'],
  ]);
});

test('a grant without a place says nothing, and neither does one that is over when it is heard of', () => {
  const late = merged(granted('a1', 0, 500), granted('b1', 600, 900), granted('c1', 1_000, 1_000));
  const places = [
    { hold: 'a1', zxid: 4 },
    { hold: 'b1', zxid: 9 },
    { hold: 'c1', zxid: 7 },
  ];

  expect(fifo(late, places).kind).toBe('ok');
  expect(fifo(IN_TURN, places.slice(0, 2)).kind).toBe('ok');
});

/** B is granted the key before A, which has queued earlier. */
function passed(
  modes: { readonly a: HoldMode; readonly b: HoldMode },
  repliedMs?: number,
): ReturnType<typeof fifo> {
  const { a, b } = modes;
  const history = story(
    [0, 'b1', { type: 'acquire' }],
    [0, 'b1', { type: 'granted', validUntilMs: 500, mode: b, repliedMs }],
    [600, 'a1', { type: 'acquire' }],
    [600, 'a1', { type: 'granted', validUntilMs: 900, mode: a }],
  );
  return fifo(history, [
    { hold: 'a1', zxid: 4 },
    { hold: 'b1', zxid: 7 },
  ]);
}
const SHARED: HoldMode = { kind: 'shared' };
const EXCLUSIVE: HoldMode = { kind: 'exclusive' };
const permits = (count: number): HoldMode => ({ kind: 'permits', permits: count, of: 3 });

test('holds that fit beside each other have no order, all others do', () => {
  expect(passed({ a: SHARED, b: SHARED }).kind).toBe('ok');
  expect(passed({ a: EXCLUSIVE, b: SHARED }).kind).toBe('violated');
  expect(passed({ a: SHARED, b: EXCLUSIVE }).kind).toBe('violated');
  expect(passed({ a: permits(2), b: permits(1) }).kind).toBe('ok');
  expect(passed({ a: permits(3), b: permits(1) }).kind).toBe('violated');
});

test('one that passed a writer is found, although another reader came between them', () => {
  const history = merged(
    granted('c1', 0, 500, SHARED),
    granted('b1', 100, 500, SHARED),
    granted('a1', 600, 900, EXCLUSIVE),
  );

  const verdict = fifo(history, [
    { hold: 'a1', zxid: 4 },
    { hold: 'b1', zxid: 3 },
    { hold: 'c1', zxid: 7 },
  ]);

  expect(verdict.message).toBe('c was granted k before a, which had queued earlier and stayed');
});

test('a writer that becomes a reader does not queue', () => {
  expect(passed({ a: EXCLUSIVE, b: SHARED }, 10).kind).toBe('ok');
});

test('queues of other keys are other queues', () => {
  const there = story(
    [0, 'a1', { type: 'acquire', key: 'other' }],
    [0, 'a1', { type: 'granted', key: 'other', validUntilMs: 500 }],
    [600, 'b1', { type: 'acquire' }],
    [600, 'b1', { type: 'granted', validUntilMs: 900 }],
  );

  const places = [
    { hold: 'a1', zxid: 9 },
    { hold: 'b1', zxid: 7 },
  ];

  expect(fifo(there, places).kind).toBe('ok');
});

test('of a history that cannot be relied on nobody knows', () => {
  const [first, second] = granted('a1', 0, 500);

  expect(fifo(story(second, first), []).kind).toBe('unknown');
});
