import { expect, test } from 'vitest';
import { belief } from '../../src/check/index.ts';
import { granted, type Line, merged } from './support/story.ts';

function inside(hold: string, fromMs: number, untilMs?: number): readonly Line[] {
  const enter: Line = [fromMs, hold, { type: 'enter' }];
  return untilMs === undefined ? [enter] : [enter, [untilMs, hold, { type: 'exit' }]];
}

test('critical sections that follow each other are fine', () => {
  const history = merged(
    granted('a1', 0, 100),
    inside('a1', 0, 50),
    granted('b1', 50, 150),
    inside('b1', 50, 90),
  );

  expect(belief(history)).toMatchObject({ property: 'belief', kind: 'ok' });
});

test('a holder that is still inside when the next one enters came late', () => {
  const history = merged(
    granted('a1', 0, 100),
    inside('a1', 0, 200),
    granted('b1', 110, 210),
    inside('b1', 110, 130),
  );

  const verdict = belief(history);

  expect(verdict.kind).toBe('violated');
  expect(verdict.message).toBe(
    'b entered k at 110 ms while a was inside; its lease had ended: a late holder',
  );
  expect(verdict.proof.map(({ type, client }) => `${type} ${client}`)).toEqual([
    'enter a',
    'enter b',
    'exit b',
    'exit a',
  ]);
});

test('where the lease was still valid, the lock is to blame', () => {
  const history = merged(
    granted('a1', 0, 100),
    inside('a1', 0, 90),
    granted('b1', 50, 150),
    inside('b1', 50, 60),
  );

  expect(belief(history).message).toContain('its lease was still valid');
});

test('a client that never leaves is inside to the end', () => {
  const history = merged(
    granted('a1', 0, 100),
    inside('a1', 0),
    granted('b1', 9_000, 9_100),
    inside('b1', 9_000, 9_001),
  );

  expect(belief(history).kind).toBe('violated');
});

test.each([
  ['a crash', [10, 'a', { type: 'crashed' }]],
  ['asking for release', [10, 'a1', { type: 'release' }]],
] as const)('%s ends belief', (_, end) => {
  const history = merged(
    granted('a1', 0, 100),
    inside('a1', 0),
    [end],
    granted('b1', 20, 120),
    inside('b1', 20, 30),
  );

  expect(belief(history).kind).toBe('ok');
});

test('a crash of another client ends nothing', () => {
  const history = merged(
    granted('a1', 0, 100),
    inside('a1', 0),
    [[10, 'c', { type: 'crashed' }]],
    granted('b1', 20, 120),
    inside('b1', 20, 30),
  );

  expect(belief(history).kind).toBe('violated');
});
