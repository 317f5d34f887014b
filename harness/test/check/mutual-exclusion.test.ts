import { expect, test } from 'vitest';
import { mutualExclusion } from '../../src/check/index.ts';
import { granted, merged, story } from './support/story.ts';

test('leases that touch do not overlap: the end is not part of a lease', () => {
  const history = merged(granted('a1', 0, 100), granted('b1', 100, 200));

  expect(mutualExclusion(history)).toMatchObject({ property: 'validity', kind: 'ok', proof: [] });
});

test('two leases valid at once are a violation, proved by both grants', () => {
  const history = merged(granted('a1', 0, 100), granted('b1', 99, 200));

  const verdict = mutualExclusion(history);

  expect(verdict.kind).toBe('violated');
  expect(verdict.message).toBe('a and b both held k validly from 99 ms to 100 ms');
  expect(verdict.proof).toEqual([history[1], history[3]]);
});

test('two holds of one client exclude each other too', () => {
  expect(mutualExclusion(merged(granted('a1', 0, 100), granted('a2', 50, 150))).kind).toBe(
    'violated',
  );
});

test('keys have nothing to do with each other', () => {
  const other = granted('b1', 0, 100).map(
    ([at, hold, what]) => [at, hold, { ...what, key: 'k2' }] as const,
  );

  expect(mutualExclusion(merged(granted('a1', 0, 100), other)).kind).toBe('ok');
});

test('a renewal prolongs a lease', () => {
  const history = merged(granted('a1', 0, 100), granted('b1', 150, 250), [
    [50, 'a1', { type: 'renewed', validUntilMs: 200 }],
  ]);

  const verdict = mutualExclusion(history);

  expect(verdict.kind).toBe('violated');
  expect(verdict.proof.map(({ type }) => type)).toEqual(['granted', 'renewed', 'granted']);
});

test('a renewal may shorten a lease: the latest word counts', () => {
  const history = merged(granted('a1', 0, 100), granted('b1', 70, 150), [
    [50, 'a1', { type: 'renewed', validUntilMs: 60 }],
  ]);

  expect(mutualExclusion(history).kind).toBe('ok');
});

test('a lease that says it is valid has been so all along, also when its time was over', () => {
  const history = merged(granted('a1', 0, 100), granted('b1', 110, 120), [
    [150, 'a1', { type: 'renewed', validUntilMs: 150.001 }],
    [150, 'a1', { type: 'lost', reason: 'too late to matter' }],
  ]);

  expect(mutualExclusion(history).message).toBe(
    'a and b both held k validly from 110 ms to 120 ms',
  );
});

test.each(['release', 'lost'] as const)('%s ends validity at once', (type) => {
  const event = type === 'lost' ? ({ type, reason: 'renewal' } as const) : ({ type } as const);
  const history = merged(granted('a1', 0, 100), [[50, 'a1', event]], granted('b1', 50, 150));

  expect(mutualExclusion(history).kind).toBe('ok');
});

test('what follows the end of a lease does not bring it back', () => {
  const history = story(
    ...granted('a1', 0, 100),
    [10, 'a1', { type: 'lost', reason: 'renewal' }],
    ...granted('b1', 20, 120),
    [30, 'a1', { type: 'release' }],
  );

  expect(mutualExclusion(history).kind).toBe('ok');
});

test('a lease that was over when it was granted was never valid', () => {
  expect(mutualExclusion(merged(granted('a1', 0, 100), granted('b1', 50, 50))).kind).toBe('ok');
});

test('a reply to a release does not matter: validity ended with its request', () => {
  const history = story(
    ...granted('a1', 0, 100),
    [10, 'a1', { type: 'release' }],
    ...granted('b1', 20, 120),
    [30, 'a1', { type: 'released', outcome: 'unknown' }],
  );

  expect(mutualExclusion(history).kind).toBe('ok');
});

test('a crash does not end validity: the store has not heard of it', () => {
  const history = merged(
    granted('a1', 0, 100),
    [[10, 'a', { type: 'crashed' }]],
    granted('b1', 50, 150),
  );

  expect(mutualExclusion(history).kind).toBe('violated');
});

test('a crash ends a claim without time limit', () => {
  const history = merged(
    granted('a1', 0, 86_400_000),
    [[10, 'a', { type: 'crashed' }]],
    granted('b1', 50, 150),
  );

  expect(mutualExclusion(history).kind).toBe('ok');
});

test('doubt about an acquisition is not a hold', () => {
  const history = merged(granted('a1', 0, 100), [
    [10, 'b1', { type: 'acquire' }],
    [20, 'b1', { type: 'doubt', reason: 'no reply' }],
  ]);

  expect(mutualExclusion(history).kind).toBe('ok');
});

test('the earliest overlap is reported', () => {
  const history = merged(granted('a1', 0, 1_000), granted('b1', 500, 600), granted('c1', 300, 400));

  expect(mutualExclusion(history).message).toContain('a and c both held k validly from 300 ms');
});

test('an overlap with a long lease is seen behind a short one', () => {
  const history = merged(
    granted('a1', 0, 1_000),
    [[10, 'a1', { type: 'renewed', validUntilMs: 2_000 }]],
    granted('b1', 1_500, 1_600),
  );

  expect(mutualExclusion(history).kind).toBe('violated');
});

test('a renewal that is over by the time it is heard claims no validity in between', () => {
  const history = merged(
    granted('a1', 0, 100),
    [[300, 'a1', { type: 'renewed', validUntilMs: 300 }]],
    granted('b1', 150, 250),
  );

  expect(mutualExclusion(history).kind).toBe('ok');
});
