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
