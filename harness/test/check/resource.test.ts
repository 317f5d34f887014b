import { expect, test } from 'vitest';
import { resource } from '../../src/check/index.ts';
import { type Line, story } from './support/story.ts';

interface Writing {
  readonly resource?: string;
  readonly accepted?: boolean;
  readonly token?: string;
  readonly readValue?: number;
  readonly value?: number;
}

let at = 0;
function write(hold: string, writing: Writing = {}, fenced = false): Line {
  at += 10;
  return [at, hold, { type: 'write', resource: 'r', accepted: true, ...writing, fenced }];
}
const fencedWrite = (hold: string, token?: string, more: Writing = {}): Line =>
  write(hold, { ...more, ...(token === undefined ? {} : { token }) }, true);

test('holders that take turns leave a resource as it should be', () => {
  at = 0;
  const history = story(write('a1'), write('a1'), write('b1'), write('a2'));

  expect(resource(history, { fenced: false })).toMatchObject({ property: 'resource', kind: 'ok' });
});

test('a hold that writes on after another one has begun to is a violation', () => {
  at = 0;
  const history = story(write('a1'), write('b1'), write('a1'));

  const verdict = resource(history, { fenced: false });

  expect(verdict.kind).toBe('violated');
  expect(verdict.proof).toEqual(history);
});

test('what a resource refused has not happened', () => {
  at = 0;
  const history = story(write('a1'), write('b1'), write('a1', { accepted: false }));

  expect(resource(history, { fenced: false }).kind).toBe('ok');
});

test('resources have nothing to do with each other', () => {
  at = 0;
  const history = story(write('a1'), write('b1', { resource: 'other' }), write('a1'));

  expect(resource(history, { fenced: false }).kind).toBe('ok');
});

test('a value computed from one that has been replaced is a lost update', () => {
  at = 0;
  const history = story(
    write('a1', { readValue: 0, value: 1 }),
    write('b1', { readValue: 1, value: 2 }),
    write('c1', { readValue: 1, value: 2 }),
  );

  const verdict = resource(history, { fenced: false });

  expect(verdict.message).toBe('c overwrote 2 of b in r with 2, computed from 1');
  expect(verdict.proof).toEqual(history.slice(1));
});

test('a refused write replaces nothing', () => {
  at = 0;
  const history = story(
    write('a1', { readValue: 0, value: 1 }),
    write('b1', { readValue: 1, value: 2, accepted: false }),
    write('c1', { readValue: 1, value: 2 }),
  );

  expect(resource(history, { fenced: false }).kind).toBe('ok');
});

test('a fenced resource that accepts a smaller token after a larger one is dishonest', () => {
  at = 0;
  // As text, 9 is larger than 10.
  const honest = story(fencedWrite('a1', '9'), fencedWrite('b1', '10'), fencedWrite('b1', '10'));
  const dishonest = story(fencedWrite('b1', '10'), fencedWrite('a1', '9'));

  expect(resource(honest, { fenced: true }).kind).toBe('ok');
  expect(resource(dishonest, { fenced: true })).toMatchObject({
    kind: 'violated',
    proof: dishonest,
  });
});

test('a fenced resource that accepts a write without a token cannot be judged', () => {
  at = 0;
  const history = story(fencedWrite('a1', '1'), fencedWrite('b1'));

  expect(resource(history, { fenced: true })).toMatchObject({
    kind: 'unknown',
    proof: [history[1]],
  });
});

test('fenced and unfenced resources are judged apart', () => {
  at = 0;
  const history = story(write('a1'), fencedWrite('b1', '2'), write('a1'), fencedWrite('a1', '1'));

  expect(resource(history, { fenced: false }).kind).toBe('ok');
  expect(resource(history, { fenced: true }).kind).toBe('violated');
});

const grant = (atMs: number, hold: string, token: string): readonly [Line, Line] => [
  [atMs, hold, { type: 'acquire' }],
  [atMs + 1, hold, { type: 'granted', validUntilMs: atMs + 10, token }],
];

test.for(['7', '6'])(
  'a token that does not grow from one grant to the next is a violation, even where nothing was written: %s after 7',
  (token) => {
    const history = story(...grant(0, 'a1', '7'), ...grant(20, 'b1', token));

    const verdict = resource(history, { fenced: true });

    expect(verdict).toMatchObject({ kind: 'violated', property: 'resource' });
    expect(verdict.message).toContain(`b was granted token ${token} after a had been granted 7`);
    expect(resource(history, { fenced: false }).kind).toBe('ok');
  },
);

test('tokens of grants that were asked for at once may come in any order', () => {
  const history = story(
    [0, 'a1', { type: 'acquire' }],
    [0, 'b1', { type: 'acquire' }],
    [1, 'a1', { type: 'granted', validUntilMs: 5, token: '8' }],
    [9, 'b1', { type: 'granted', validUntilMs: 15, token: '7' }],
  );

  expect(resource(history, { fenced: true }).kind).toBe('ok');
});

test('the token of a downgrade is older than what was asked for after its reply, and not than what was before', () => {
  const shared = { mode: { kind: 'shared' } } as const;
  const downgraded = (repliedMs: number): Line => [
    1,
    'a1',
    { type: 'granted', validUntilMs: 50, token: '8', repliedMs, ...shared },
  ];
  const reader: readonly Line[] = [
    [5, 'b1', { type: 'acquire' }],
    [9, 'b1', { type: 'granted', validUntilMs: 30, token: '7', ...shared }],
  ];
  const historyOf = (repliedMs: number): ReturnType<typeof story> =>
    story([0, 'a1', { type: 'acquire' }], downgraded(repliedMs), ...reader);

  expect(resource(historyOf(6), { fenced: true }).kind).toBe('ok');
  expect(resource(historyOf(4), { fenced: true })).toMatchObject({
    kind: 'violated',
    message: 'b was granted token 7 after a had been granted 8: tokens do not grow',
  });
});
