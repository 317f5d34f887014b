import { expect, test } from 'vitest';
import { lateLoss } from '../../src/check/index.ts';
import { type Line, story } from './support/story.ts';

const asked: Line = [0, 'a1', { type: 'acquire' }];
const got: Line = [10, 'a1', { type: 'granted', validUntilMs: 900 }];

function lostAt(atMs: number): Line {
  return [atMs, 'a1', { type: 'lost', reason: 'deadline' }];
}

test('a loss that is reported within a second of the end of the lease is in time', () => {
  expect(lateLoss(story(asked, got, lostAt(1_900)))).toMatchObject({
    property: 'answers',
    kind: 'ok',
  });
});

test('a later one is reported with the claim that was over', () => {
  const { kind, message, proof } = lateLoss(story(asked, got, lostAt(2_000)));

  expect(kind).toBe('violated');
  expect(message).toBe(
    'the lock reported to a at 2000 ms that it had lost k, 1100 ms after its lease had ended by its own clocks',
  );
  expect(proof.map(({ type }) => type)).toEqual(['granted', 'lost']);
});

test('a paused process reports its loss after it resumes', () => {
  const paused: Line = [100, 'a1', { type: 'paused', untilMs: 4_000 }];

  expect(lateLoss(story(asked, got, paused, lostAt(5_000))).kind).toBe('ok');
  expect(lateLoss(story(asked, got, paused, lostAt(5_100))).kind).toBe('violated');
});

test('two pauses, the second of which begins in the first, take as long as both', () => {
  const paused: Line = [100, 'a1', { type: 'paused', untilMs: 4_000 }];
  const again: Line = [200, 'a1', { type: 'paused', untilMs: 1_200 }];

  expect(lateLoss(story(asked, got, paused, again, lostAt(6_000))).kind).toBe('ok');
});

test('what the lease says for the moment prolongs nothing', () => {
  const claim: Line = [1_500, 'a1', { type: 'renewed', validUntilMs: 1_500.001 }];

  expect(lateLoss(story(asked, got, claim, lostAt(2_000))).kind).toBe('violated');
});
