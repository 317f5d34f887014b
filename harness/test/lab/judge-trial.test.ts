import type { HistoryEvent } from '@holdfast/core/backend';
import type { Sample } from '@holdfast/harness/real';
import { describe, expect, test } from 'vitest';
import { judgeTrial, longestUnservedMs } from '../../src/lab/trials/judge-trial.ts';
import type { TrialRecord } from '../../src/lab/trials/trial-record.ts';

type TrialEvent = HistoryEvent extends infer E
  ? E extends unknown
    ? Omit<E, 'seq' | 'key'>
    : never
  : never;

function trial(events: readonly TrialEvent[], more: Partial<TrialRecord> = {}): TrialRecord {
  const history: HistoryEvent[] = events.map((event, seq) => ({ ...event, seq, key: 'k' }));
  const times = { fromMs: -300, healedMs: 400, untilMs: 800 };
  return {
    fault: 'pause',
    ...times,
    history,
    healthy: [],
    victim: 'p1',
    faulted: ['p1'],
    renews: true,
    expectsHandover: true,
    description: '',
    ...more,
  };
}

function held(
  client: string,
  hold: string,
  atMs: number,
  untilMs: number,
  token: string,
): TrialEvent[] {
  const who = { client, hold };
  return [
    { ...who, type: 'acquire', atMs: atMs - 1 },
    { ...who, type: 'granted', atMs, validUntilMs: untilMs, token },
    { ...who, type: 'enter', atMs },
  ];
}

function write(
  client: string,
  hold: string,
  atMs: number,
  of: Partial<TrialEvent> = {},
): TrialEvent {
  const effect = { resource: 'counter', accepted: true, fenced: false, value: 1, readValue: 0 };
  return { client, hold, type: 'write', atMs, ...effect, ...of } as TrialEvent;
}

const waiting: TrialEvent = { client: 'p2', hold: 'p2/1', type: 'acquire', atMs: -50 };

test('two valid leases at once break the lock, and one that came late does not', () => {
  const second = { client: 'p2', hold: 'p2/1', type: 'granted', validUntilMs: 900 } as const;
  const first = held('p1', 'p1/1', -100, 200, '1');

  const broken = judgeTrial(trial([...first, waiting, { ...second, atMs: 100, token: '2' }]));
  const late = judgeTrial(
    trial([
      ...first,
      waiting,
      { ...second, atMs: 250, token: '2' },
      { client: 'p2', hold: 'p2/1', type: 'enter', atMs: 250 },
      { client: 'p1', hold: 'p1/1', type: 'exit', atMs: 300 },
    ]),
  );

  expect(broken.validity.kind).toBe('violated');
  expect([late.validity.kind, late.belief.kind]).toEqual(['ok', 'violated']);
});

test('an acquisition of unknown outcome is neither a lease nor a refusal', () => {
  const doubt = { client: 'p2', hold: 'p2/1', type: 'doubt', atMs: 50, reason: 'UNKNOWN' } as const;

  const { validity, operationCount, indeterminate } = judgeTrial(
    trial([...held('p1', 'p1/1', -100, 200, '1'), waiting, doubt]),
  );

  expect(validity.kind).toBe('ok');
  expect([operationCount, indeterminate]).toEqual([2, 1]);
});

test('a release with an unknown outcome is in doubt', () => {
  const release = { client: 'p1', hold: 'p1/1', type: 'released', atMs: 60 } as const;
  const own = held('p1', 'p1/1', -100, 200, '1');

  const unknown = judgeTrial(trial([...own, { ...release, outcome: 'unknown' }]));
  const known = judgeTrial(trial([...own, { ...release, outcome: 'not-held' }]));

  expect([unknown.operationCount, unknown.indeterminate]).toEqual([2, 1]);
  expect([known.operationCount, known.indeterminate]).toEqual([2, 0]);
});

test('requests of healthy clients’ probes count, unless no client waited for the reply', () => {
  const samples = [
    { atMs: 10, tookMs: 1, ok: true, released: 'released' },
    { atMs: 20, tookMs: 1, ok: true, released: 'unknown' },
    { atMs: 30, tookMs: 1_500, ok: false, why: 'OUTCOME_UNKNOWN' },
    { atMs: 40, tookMs: 1_500, ok: false, why: 'BACKEND_UNAVAILABLE' },
    { atMs: 50, tookMs: 1, ok: false, why: 'withdrawn' },
  ] as const;

  const { operationCount, indeterminate } = judgeTrial(
    trial([], { healthy: [{ client: 'p2', samples }] }),
  );

  expect([operationCount, indeterminate]).toEqual([6, 2]);
});

describe('a lease that was lost', () => {
  const lost: TrialEvent = {
    client: 'p1',
    hold: 'p1/1',
    type: 'lost',
    atMs: 210,
    reason: 'deadline',
  };
  const next: TrialEvent = {
    client: 'p2',
    hold: 'p2/1',
    type: 'granted',
    atMs: 205,
    validUntilMs: 900,
  };
  const own = held('p1', 'p1/1', -100, 200, '1');
  const nobody = { faulted: [] };

  test('without a need is a false loss, the holder’s too if the fault affected servers', () => {
    expect(judgeTrial(trial([...own, waiting, lost], nobody)).givenUp).toBe(1);
  });

  test('of a client that the fault affected is none', () => {
    expect(judgeTrial(trial([...own, waiting, lost])).givenUp).toBe(0);
  });

  test('to another client that was granted the key is none', () => {
    expect(judgeTrial(trial([...own, waiting, next, lost], nobody)).givenUp).toBe(0);
  });

  test('before the fault is none, nor one of a lease that is not renewed and has expired', () => {
    const before = { ...lost, atMs: -5 };

    expect(judgeTrial(trial([...own, waiting, before], nobody)).givenUp).toBe(0);
    expect(judgeTrial(trial([...own, waiting, lost], { ...nobody, renews: false })).givenUp).toBe(
      0,
    );
  });
});

test('what was withdrawn because the trial was over is no doubt', () => {
  const over = {
    client: 'p2',
    hold: 'p2/1',
    type: 'doubt',
    atMs: 800,
    reason: 'withdrawn',
  } as const;

  expect(
    judgeTrial(trial([...held('p1', 'p1/1', -100, 200, '1'), waiting, over])).indeterminate,
  ).toBe(0);
});

test('a trial counts only if one client was inside and another waited', () => {
  const inside = held('p1', 'p1/1', -100, 200, '1');
  const left: TrialEvent = { client: 'p1', hold: 'p1/1', type: 'exit', atMs: -20 };

  expect(judgeTrial(trial([...inside, waiting])).effective).toBe(true);
  expect(judgeTrial(trial(inside)).effective).toBe(false);
  expect(judgeTrial(trial([...inside, waiting, left])).effective).toBe(false);
});

test('updates that were overwritten are lost, and a stale one that a fence let in is seen', () => {
  const fenced = { resource: 'fenced counter', fenced: true };
  const { unfenced, fenced: behind } = judgeTrial(
    trial([
      ...held('p1', 'p1/1', -100, 200, '1'),
      waiting,
      write('p2', 'p2/1', 300, { token: '2' }),
      write('p2', 'p2/1', 300, { token: '2', ...fenced }),
      write('p1', 'p1/1', 310, { token: '1' }),
      write('p1', 'p1/1', 310, { token: '1', ...fenced }),
    ]),
  );

  expect(unfenced).toEqual({ accepted: 2, refused: 0, lost: 1, stale: 1 });
  expect(behind).toMatchObject({ accepted: 2, stale: 1 });
});

test('the next client to be granted the key takes over, not the affected one', () => {
  const next: TrialEvent[] = [
    { client: 'p1', hold: 'p1/2', type: 'acquire', atMs: 10 },
    { client: 'p1', hold: 'p1/2', type: 'granted', atMs: 20, validUntilMs: 30 },
    { client: 'p2', hold: 'p2/1', type: 'granted', atMs: 320, validUntilMs: 900 },
  ];
  const events = [...held('p1', 'p1/1', -100, 5, '1'), waiting, ...next];

  expect(judgeTrial(trial(events)).handoverMs).toBe(320);
  expect(judgeTrial(trial(events, { expectsHandover: false })).handoverMs).toBeUndefined();
  expect(judgeTrial(trial(events.slice(0, 4))).handoverMs).toBeNull();
});

function granted(atMs: number): Sample {
  return { atMs: atMs - 1, tookMs: 1, ok: true };
}

test('a silence counts from the fault, and the longest counts', () => {
  const samples = [granted(-10), granted(12), granted(512), granted(525), granted(540)];

  expect(longestUnservedMs({ client: 'p2', samples }, 545)).toBe(500);
});

test('a grant that was in flight at the fault does not end the silence after it', () => {
  const samples = [granted(-10), granted(1), granted(900), granted(910)];

  expect(longestUnservedMs({ client: 'p2', samples }, 920)).toBe(899);
});

test('a silence that had not ended with the trial has no length', () => {
  const failed = { atMs: 30, tookMs: 4_000, ok: false, why: 'withdrawn' };

  expect(longestUnservedMs({ client: 'p2', samples: [granted(20), failed] }, 4_030)).toBeNull();
  expect(longestUnservedMs({ client: 'p2', samples: [granted(-20), failed] }, 4_030)).toBeNull();
});

test('a token that is no larger than one granted before its request breaks the fence', () => {
  const next = { client: 'p2', hold: 'p2/1' } as const;
  const asked: TrialEvent = { ...next, type: 'acquire', atMs: 50 };
  const grantedNext = (token: string): TrialEvent => ({
    ...next,
    type: 'granted',
    atMs: 300,
    validUntilMs: 900,
    token,
  });
  const first = held('p1', 'p1/1', -100, 200, '7');

  expect(judgeTrial(trial([...first, asked, grantedNext('8')])).tokensGrow).toBe(true);
  expect(judgeTrial(trial([...first, asked, grantedNext('7')])).tokensGrow).toBe(false);
});
