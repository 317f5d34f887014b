import { describe, expect, test } from 'vitest';
import {
  type AttemptRecord,
  judgeRefusals,
  type RefusalRecord,
  type StoredSpan,
} from '../../src/check/index.ts';
import { type Line, story } from './support/story.ts';

const asked: Line = [0, 'a1', { type: 'acquire' }];

function rejected(reason: string): readonly Line[] {
  const type = reason === 'OUTCOME_UNKNOWN' ? 'doubt' : 'denied';
  return [asked, [1_000, 'a1', { type, reason }]];
}

function tried(fromMs: number, kind: AttemptRecord['kind'], isWhole = true): AttemptRecord {
  return { fromMs, toMs: fromMs + 10, kind, isWhole };
}

function stood(fromMs: number, toMs: number, untilMs: number = toMs): StoredSpan {
  return { fromMs, toMs, untilMs };
}

function verdict(reason: string, record: Partial<RefusalRecord>): string {
  const records: readonly RefusalRecord[] = [
    {
      hold: 'a1',
      attempts: [tried(0, 'busy')],
      withdrawn: { atMs: 1_000, kind: 'clean' },
      isQueue: false,
      own: [],
      others: [],
      ...record,
    },
  ];
  const { property, kind, message } = judgeRefusals(story(...rejected(reason)), records);
  expect(property).toBe('answers');
  return kind === 'ok' ? kind : message;
}

describe('that the key is taken', () => {
  const others = [stood(0, 600)];

  test('is true where another client had it since the latest attempt that got that reply', () => {
    expect(verdict('LOCK_TIMEOUT', { others })).toBe('ok');
    expect(verdict('LOCK_TIMEOUT', { attempts: [tried(600, 'busy')], others })).toBe('ok');
  });

  test('is untrue where no other client had it since', () => {
    expect(verdict('LOCK_TIMEOUT', { attempts: [tried(601, 'busy')], others })).toBe(
      "the lock reported to a at 1000 ms that k is taken, but by the servers' records no other client had it since 601 ms",
    );
  });

  test('may be true of all the time that another client was in the queue', () => {
    const attempts = [tried(500, 'busy'), tried(700, 'busy')];

    expect(verdict('LOCK_TIMEOUT', { attempts, others, isQueue: true })).toBe('ok');
  });

  test('is untrue where no attempt got that reply', () => {
    expect(verdict('LOCK_TIMEOUT', { attempts: [tried(0, 'unknown')], others })).toBe(
      'the lock reported to a at 1000 ms that k is taken, but none of its attempts got that reply',
    );
  });

  test.each(['unknown', 'unavailable', 'granted'] as const)(
    'is not where a whole attempt after that was %s',
    (kind) => {
      expect(
        verdict('LOCK_TIMEOUT', { attempts: [tried(0, 'busy'), tried(50, kind)], others }),
      ).toBe(
        'the lock reported to a at 1000 ms that k is taken, but its attempt of 50 ms did not get that reply',
      );
    },
  );

  test('is not belied by an attempt that had no time', () => {
    const attempts = [tried(0, 'busy'), tried(990, 'unknown', false)];

    expect(verdict('LOCK_TIMEOUT', { attempts, others })).toBe('ok');
  });

  test('reports no more remaining time than the servers had granted, up to a drift', () => {
    const promised = [stood(0, 600, 1_200)];

    expect(verdict('LOCK_TIMEOUT', { others: promised, leftMs: 200 })).toBe('ok');
    expect(verdict('LOCK_TIMEOUT', { others: promised, leftMs: 230 })).toBe(
      'the lock reported to a at 1000 ms that the holder of k has it until 1230 ms, but the servers had promised it to no one beyond 1200 ms',
    );
  });

  test('counts what is left from when the error was made, however late its process reads it', () => {
    const withdrawn = { atMs: 700, kind: 'clean' } as const;

    expect(
      verdict('LOCK_TIMEOUT', { others: [stood(0, 600, 1_200)], leftMs: 500, withdrawn }),
    ).toBe('ok');
  });
});

describe('that the store does not serve', () => {
  test('is true if the latest attempt got no reply', () => {
    const attempts = [tried(0, 'busy'), tried(50, 'unavailable')];

    expect(verdict('BACKEND_UNAVAILABLE', { attempts })).toBe('ok');
  });

  test('is not where it was', () => {
    expect(verdict('BACKEND_UNAVAILABLE', {})).toBe(
      'the lock reported to a at 1000 ms that the store does not serve k, but its latest attempt got the reply that it is taken',
    );
  });
});

describe.each([
  { reason: 'LOCK_TIMEOUT', attempts: [tried(0, 'busy')] },
  { reason: 'BACKEND_UNAVAILABLE', attempts: [tried(0, 'unavailable')] },
])('$reason', ({ reason, attempts }) => {
  const others = [stood(0, 2_000)];

  test('is true where all that was written is gone', () => {
    expect(verdict(reason, { attempts, others, own: [stood(10, 1_000, 1_010)] })).toBe('ok');
    expect(verdict(reason, { attempts, others, own: [stood(10, 1_200, 1_000)] })).toBe('ok');
  });

  test('is untrue if something is stored', () => {
    expect(verdict(reason, { attempts, others, own: [stood(10, 1_200, 1_010)] })).toBe(
      "the lock reported to a at 1000 ms that it did not acquire k, but by the servers' records it has it until 1010 ms",
    );
  });

  test('is not where something lands later', () => {
    expect(verdict(reason, { attempts, others, own: [stood(1_001, 1_200)] })).toBe(
      "the lock reported to a at 1000 ms that it did not acquire k, but by the servers' records it acquired it at 1001 ms",
    );
  });

  test('is not where its backend is in doubt', () => {
    const withdrawn = { atMs: 1_000, kind: 'unknown' } as const;

    expect(verdict(reason, { attempts, others, withdrawn })).toBe(
      'the lock reported to a at 1000 ms that it did not acquire k, but its withdrawal is unknown',
    );
  });
});

describe('that the outcome is unknown', () => {
  const attempts = [tried(0, 'unknown')];
  const withdrawn = { atMs: 1_000, kind: 'unknown' } as const;

  test('is true if an attempt got no reply, or something is stored', () => {
    const own = [stood(10, 1_200)];

    expect(verdict('OUTCOME_UNKNOWN', { attempts, withdrawn })).toBe('ok');
    expect(verdict('OUTCOME_UNKNOWN', { attempts, withdrawn, isAnswered: false })).toBe('ok');
    expect(verdict('OUTCOME_UNKNOWN', { attempts, withdrawn, isAnswered: true, own })).toBe('ok');
  });

  test('is not where its backend knows', () => {
    expect(verdict('OUTCOME_UNKNOWN', { attempts })).toBe(
      'the lock reported to a at 1000 ms that it may have acquired k, but its backend knew that it had not',
    );
  });

  test('is untrue if all attempts got replies', () => {
    expect(verdict('OUTCOME_UNKNOWN', { attempts, withdrawn, isAnswered: true })).toBe(
      'the lock reported to a at 1000 ms that it may have acquired k, but every request had a reply',
    );
  });
});

test('a client that never had its turn is not judged, nor a report that no store can contradict', () => {
  expect(verdict('LOCK_TIMEOUT', { attempts: [] })).toBe('ok');
  expect(verdict('LOCK_LOST', {})).toBe('ok');
});
