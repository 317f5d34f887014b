import { describe, expect, test } from 'vitest';
import { type HoldRecord, type HoldStatus, judgeAnswers } from '../../src/check/index.ts';
import { type Line, story } from './support/story.ts';

const GONE = Number.NEGATIVE_INFINITY;

function stands(atMs: number, untilMs: number, more: Partial<HoldStatus> = {}): HoldStatus {
  return { atMs, untilMs, isOwn: false, isMade: false, ...more };
}

function gone(atMs: number, isOwn = false): HoldStatus {
  return stands(atMs, GONE, { isOwn });
}

/** A hold that one server keeps the record of. */
function alone(...line: readonly HoldStatus[]): readonly HoldRecord[] {
  return [{ hold: 'a1', quorum: 1, addresses: [[line]] }];
}

/** A hold that needs two of three. */
function voted(...lines: readonly (readonly HoldStatus[])[]): readonly HoldRecord[] {
  return [{ hold: 'a1', quorum: 2, addresses: lines.map((line) => [line]) }];
}

const asked: Line = [0, 'a1', { type: 'acquire' }];
const got: Line = [10, 'a1', { type: 'granted', validUntilMs: 900 }];
const returned: Line = [500, 'a1', { type: 'release' }];

function renewed(validUntilMs: number): Line {
  return [410, 'a1', { type: 'renewed', validUntilMs, askedMs: 400 }];
}

function released(outcome: 'released' | 'not-held' | 'unknown'): Line {
  return [510, 'a1', { type: 'released', outcome }];
}

function lost(reason: string): Line {
  return [600, 'a1', { type: 'lost', reason }];
}

describe('a grant', () => {
  test('is true if the record had it for as long, at some instant since its request', () => {
    const verdict = judgeAnswers(story(asked, got), alone(stands(5, 905), gone(8)));

    expect(verdict).toMatchObject({ property: 'answers', kind: 'ok', proof: [] });
  });

  test('that no server recorded is reported with all that is known of the hold', () => {
    const { kind, message, proof } = judgeAnswers(story(asked, got), alone());

    expect(kind).toBe('violated');
    expect(message).toBe(
      "the lock reported to a at 10 ms that it held k, but by the servers' records it did not",
    );
    expect(proof.map(({ type }) => type)).toEqual(['acquire', 'granted']);
  });

  test('that claims more than the record proves is reported with both times', () => {
    expect(judgeAnswers(story(asked, got), alone(stands(5, 899))).message).toBe(
      "the lock reported to a at 10 ms that it held k until 900 ms, but by the servers' records only until 899 ms",
    );
  });

  test('by votes counts what each node had at its own best instant', () => {
    const late = voted([stands(3, 903), gone(4)], [stands(7, 907)], []);

    expect(judgeAnswers(story(asked, got), late).kind).toBe('ok');
  });

  test('by fewer votes than a quorum is none', () => {
    expect(judgeAnswers(story(asked, got), voted([stands(3, 903)], [], [])).kind).toBe('violated');
  });

  test('that was over when it was heard claims nothing', () => {
    const over: Line = [950, 'a1', { type: 'granted', validUntilMs: 900 }];

    expect(judgeAnswers(story(asked, over), alone()).kind).toBe('ok');
  });
});

describe('a renewal', () => {
  test('that the record had from before need not be written anew', () => {
    const verdict = judgeAnswers(story(asked, got, renewed(1_300)), alone(stands(5, 1_305)));

    expect(verdict.kind).toBe('ok');
  });

  test('that came after the end of the hold is untrue', () => {
    const { message } = judgeAnswers(
      story(asked, got, renewed(1_300)),
      alone(stands(5, 905), gone(300)),
    );

    expect(message).toMatch(
      /at 410 ms that it still held k, but by the servers' records it did not/,
    );
  });

  test('that made the hold anew is untrue, and so is the next one', () => {
    const made = alone(
      stands(5, 905),
      gone(300),
      stands(405, 1_405, { isMade: true }),
      stands(408, 1_408),
    );

    expect(judgeAnswers(story(asked, got, renewed(1_300)), made).message).toMatch(/it did not/);
  });

  test('that replies to no request is not judged', () => {
    const claim: Line = [410, 'a1', { type: 'renewed', validUntilMs: 5_000 }];

    expect(judgeAnswers(story(asked, got, claim), alone(stands(5, 905))).kind).toBe('ok');
  });
});

describe('a loss', () => {
  test('of a hold that was recorded all the time is untrue', () => {
    const { message } = judgeAnswers(story(asked, got, lost('renewal')), alone(stands(5, 905)));

    expect(message).toMatch(
      /at 600 ms that it had lost k, but by the servers' records it held it throughout/,
    );
  });

  test('of what was gone for a while is true', () => {
    const record = alone(stands(5, 905), gone(100), stands(101, 1_000));

    expect(judgeAnswers(story(asked, got, lost('renewal')), record).kind).toBe('ok');
  });

  test('by the client’s own clock is not compared with the servers', () => {
    expect(judgeAnswers(story(asked, got, lost('deadline')), alone(stands(5, 905))).kind).toBe(
      'ok',
    );
  });
});

describe('a release', () => {
  const held = stands(5, 905);

  test.each([
    { outcome: 'released', record: [held, gone(505, true)] },
    { outcome: 'not-held', record: [held, gone(300)] },
    { outcome: 'not-held', record: [stands(5, 905), gone(300), stands(301, 302)] },
    { outcome: 'unknown', record: [held] },
  ] as const)('is true: $outcome', ({ outcome, record }) => {
    expect(
      judgeAnswers(story(asked, got, returned, released(outcome)), alone(...record)).kind,
    ).toBe('ok');
  });

  test.each([
    {
      outcome: 'released',
      record: [held],
      says: /it had released k, but by the servers' records it still holds it/,
    },
    {
      outcome: 'released',
      record: [held, gone(300)],
      says: /released k, but by the servers' records it had not held it/,
    },
    {
      outcome: 'not-held',
      record: [held, gone(505, true)],
      says: /had not held k, but by the servers' records it held it/,
    },
  ] as const)('is untrue: $outcome', ({ outcome, record, says }) => {
    const { message } = judgeAnswers(
      story(asked, got, returned, released(outcome)),
      alone(...record),
    );

    expect(message).toMatch(says);
  });

  test('of a lease that was lost before is not compared with the servers', () => {
    const early: Line = [490, 'a1', { type: 'lost', reason: 'deadline' }];
    const history = story(asked, got, early, returned, released('not-held'));

    expect(judgeAnswers(history, alone(held)).kind).toBe('ok');
  });
});

test('holds of which there is no record are left alone', () => {
  expect(judgeAnswers(story(asked, got), []).kind).toBe('ok');
});
