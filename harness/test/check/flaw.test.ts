import type { HistoryEvent } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { belief, judge, mutualExclusion, resource } from '../../src/check/index.ts';
import { granted, type Line, story } from './support/story.ts';

const [acquire, grant] = granted('a1', 0, 100);
const release: Line = [10, 'a1', { type: 'release' }];

const FLAWS: readonly (readonly [string, readonly HistoryEvent[], string])[] = [
  ['a grant that nobody asked for', story(grant), 'granted without acquire in hold a1'],
  ['one hold opened twice', story(acquire, acquire), 'acquire after acquire in hold a1'],
  ['one hold granted twice', story(acquire, grant, grant), 'granted after granted in hold a1'],
  [
    'a grant after a denial',
    story(acquire, [0, 'a1', { type: 'denied', reason: 'busy' }], grant),
    'granted after denied in hold a1',
  ],
  [
    'a renewal after the release',
    story(acquire, grant, release, [20, 'a1', { type: 'renewed', validUntilMs: 99 }]),
    'renewed after release in hold a1',
  ],
  [
    'an answer to a release that was not asked for',
    story(acquire, grant, [20, 'a1', { type: 'released', outcome: 'released' }]),
    'released without release in hold a1',
  ],
  [
    'leaving without having entered',
    story(acquire, grant, [5, 'a1', { type: 'exit' }]),
    'exit without enter in hold a1',
  ],
  [
    'a dead client that goes on',
    story(acquire, grant, [5, 'a', { type: 'crashed' }], release),
    'hold a1 continues after a crash',
  ],
  [
    'a hold of two clients',
    story(acquire, [0, 'a1', { type: 'granted', validUntilMs: 100, client: 'b' }]),
    'hold a1 changes hands',
  ],
  [
    'time that runs backwards',
    story(...granted('a1', 50, 100), ...granted('b1', 40, 45)),
    'time runs backwards',
  ],
  ['positions that do not grow', [...story(acquire), ...story(grant)], 'seq does not grow'],
  [
    'a token that is no number',
    story(acquire, [0, 'a1', { type: 'granted', validUntilMs: 1, token: '-1' }]),
    '"-1" is not a fencing token',
  ],
  [
    'a validity without end',
    story(acquire, [0, 'a1', { type: 'granted', validUntilMs: Number.NaN }]),
    'a validity has no end',
  ],
];

test.each(FLAWS)(
  '%s makes every claim unknown, with the offending events',
  (_, history, message) => {
    for (const verdict of [
      mutualExclusion(history),
      belief(history),
      resource(history, { fenced: true }),
    ]) {
      expect(verdict).toMatchObject({ kind: 'unknown', message });
      expect(verdict.proof.length).toBeGreaterThan(0);
      for (const event of verdict.proof) expect(history).toContain(event);
    }
  },
);

test('what a dead client had sent may still arrive, and it may come back with new holds', () => {
  const history = story(
    acquire,
    grant,
    [5, 'a', { type: 'crashed' }],
    [6, 'a1', { type: 'write', resource: 'r', accepted: true, fenced: false }],
    ...granted('b1', 100, 150),
    [110, 'c', { type: 'crashed' }],
    [120, 'b1', { type: 'release' }],
    ...granted('a2', 200, 300),
  );

  for (const { kind } of judge(history)) expect(kind).toBe('ok');
});

test('a lock may be granted after doubt, and released after loss', () => {
  const history = story(
    acquire,
    [0, 'a1', { type: 'doubt', reason: 'no reply' }],
    grant,
    [20, 'a1', { type: 'lost', reason: 'renewal' }],
    [30, 'a1', { type: 'release' }],
    [40, 'a1', { type: 'released', outcome: 'not-held' }],
  );

  expect(mutualExclusion(history).kind).toBe('ok');
});
