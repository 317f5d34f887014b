import { expect, test } from 'vitest';
import { belief, explain, Judge, judge, mutualExclusion, resource } from '../../src/check/index.ts';
import { granted, type Line, merged } from './support/story.ts';

const write = (atMs: number, hold: string, fenced: boolean, token: string): Line => [
  atMs,
  hold,
  { type: 'write', resource: 'stock', accepted: true, fenced, token, readValue: 0, value: 1 },
];

const broken = merged(
  granted('a1', 0, 100),
  [
    [0, 'a1', { type: 'enter' }],
    [95, 'a1', { type: 'exit' }],
  ],
  granted('b1', 90, 190),
  [
    [92, 'b1', { type: 'enter' }],
    [93, 'b1', { type: 'exit' }],
  ],
);

test('nothing that happened is nothing to blame', () => {
  expect(judge([]).map(({ property, kind }) => `${property} ${kind}`)).toEqual([
    'validity ok',
    'belief ok',
  ]);
});

test('the worst comes first: a broken lock before a late holder', () => {
  expect(judge(broken).map(({ property, kind }) => `${property} ${kind}`)).toEqual([
    'validity violated',
    'belief violated',
  ]);
});

test('what is violated comes before what is fine', () => {
  const late = merged(
    granted('a1', 0, 50),
    [
      [0, 'a1', { type: 'enter' }],
      [95, 'a1', { type: 'exit' }],
    ],
    granted('b1', 90, 190),
    [[92, 'b1', { type: 'enter' }]],
  );

  expect(judge(late).map(({ property, kind }) => `${property} ${kind}`)).toEqual([
    'belief violated',
    'validity ok',
  ]);
});

test('fenced and unfenced resources are judged where there are any', () => {
  const history = merged([write(1, 'a1', true, '1'), write(2, 'b1', false, '2')]);

  expect(judge(history).map(({ property }) => property)).toEqual([
    'validity',
    'resource',
    'resource',
    'belief',
  ]);
});

test('a verdict is explained by its events, in columns', () => {
  const [worst] = judge(broken);

  expect(explain(worst!)).toBe(
    [
      'validity violated: a and b both held k validly from 90 ms to 100 ms',
      '',
      '        a                      b',
      ' 0 ms   granted until 100 ms',
      '90 ms                          granted until 190 ms',
    ].join('\n'),
  );
});

test.each([
  ['a history', broken],
  ['one with a flaw', broken.toReversed()],
])('judging %s once for all properties comes to what judging it for each does', (_, history) => {
  const once = new Judge(history);

  expect(once.validity()).toEqual(mutualExclusion(history));
  expect(once.belief()).toEqual(belief(history));
  expect(once.resource({ fenced: true })).toEqual(resource(history, { fenced: true }));
  expect(once.resource({ fenced: false })).toEqual(resource(history, { fenced: false }));
});

test('a verdict without proof is its sentence', () => {
  expect(explain(judge([])[0]!)).toBe('validity ok: no two of 0 leases were valid at once');
});

test('an effect is explained with its token and values', () => {
  const stale = merged([write(1, 'b1', true, '2'), write(2, 'a1', true, '1')]);

  expect(explain(judge(stale)[0]!)).toContain('write to stock, token 1, 0 → 1');
});

test('an effect that was refused is explained as such', () => {
  const refused = merged([write(1, 'b1', true, '2')]).map((event) =>
    Object.assign(event, { accepted: false }),
  );

  expect(
    explain({ property: 'resource', kind: 'unknown', message: 'for show', proof: refused }),
  ).toContain('0 → 1, refused');
});
