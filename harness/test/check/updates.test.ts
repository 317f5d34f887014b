import { expect, test } from 'vitest';
import { updatesOf } from '../../src/check/updates.ts';
import { type Line, story } from './support/story.ts';

function write(hold: string, value: number, more: object = {}): Line {
  const effect = { resource: 'counter', accepted: true, fenced: false, readValue: value - 1 };
  return [0, hold, { type: 'write', ...effect, value, ...more }];
}

test('what a counter lacks at the end was lost, and what it refused was not', () => {
  const history = story(write('a1', 1), write('b1', 1), write('b1', 9, { accepted: false }));

  expect(updatesOf(history, false)).toMatchObject({ accepted: 2, refused: 1, lost: 1 });
});

test('every write below the largest token so far is stale', () => {
  const tokens = ['5', '4', '4', '5', '10', '9'];
  const history = story(...tokens.map((token, i) => write('a1', i + 1, { token, fenced: true })));

  expect(updatesOf(history, true)).toEqual({ accepted: 6, refused: 0, lost: 0, stale: 3 });
});

test('a counter that compares tokens and one that does not are counted apart', () => {
  const history = story(write('a1', 1), write('a1', 1, { fenced: true, accepted: false }));

  expect(updatesOf(history, false)).toMatchObject({ accepted: 1, refused: 0 });
  expect(updatesOf(history, true)).toMatchObject({ accepted: 0, refused: 1 });
});
