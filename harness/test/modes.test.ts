import type { HistoryEvent } from '@holdfast/core/backend';
import { FAULT_IDS, parseSchedule, play } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { mutualExclusion } from '../src/check/index.ts';
import { subjectOf } from '../src/locks/index.ts';
import { carries, inModes, searchModes, VARIANTS } from './kit/modes.ts';

const BUDGET = 30;
const TIMEOUT_MS = 300_000;

/** Few: `test/deep/modes.test.ts` plays every fault. */
const CELLS = VARIANTS.flatMap((variant) =>
  [
    ...['none', 'lost-reply', 'pause'].map((fault) => ['redis-simple', variant, fault] as const),
    ...['none', 'pause'].map((fault) => ['memory', variant, fault] as const),
    ...['zk', 'postgres'].map((name) => [name, variant, 'lost-reply'] as const),
  ].filter(([name]) => carries(name, variant)),
);

test.each(CELLS)(
  '%s, %s: no two holds that exclude each other are valid at once under %s',
  {
    timeout: TIMEOUT_MS,
  },
  async (name, variant, fault) => {
    expect(FAULT_IDS).toContain(fault);
    const { counterexample, tally } = await searchModes(subjectOf(name), variant, {
      faults: [fault],
      budget: BUDGET,
    });

    expect(counterexample?.violation.message).toBeUndefined();
    expect(tally.schedules).toBe(BUDGET);
  },
);

/** Three clients; two of them want all that the third has a part of. */
const THREE_AT_ONCE = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 100, holdMs: 10, renews: false },
    { id: 2, client: 'b', atMs: 110, holdMs: 10, renews: false },
    { id: 3, client: 'c', atMs: 120, holdMs: 10, renews: false },
  ],
  faults: [],
});

test.each(['redis-simple', 'zk', 'etcd', 'postgres'])(
  '%s: the place of every holder in the line is known, so that order is judged',
  async (name) => {
    const subject = inModes(subjectOf(name), 'permits');
    const { history, queueTickets = [] } = await play(THREE_AT_ONCE, subject);

    const grants = history.filter(({ type }) => type === 'granted');
    expect(grants).toHaveLength(3);
    expect(new Set(queueTickets.map(({ zxid }) => zxid)).size).toBe(3);
  },
);

test('postgres, permits: waiters that lost their places, all cut off for longer, come again in the order that they had', async () => {
  const { counterexample, tally } = await searchModes(subjectOf('postgres'), 'permits', {
    faults: ['swizzle'],
    after: 32,
    budget: 33,
  });

  expect(counterexample?.violation.message).toBeUndefined();
  expect(tally.schedules).toBe(1);
});

/** A writer that becomes a reader, and one that waits for it; the first is paused before its clock is read for the nth time. */
const pausedBefore = (n: number) =>
  parseSchedule({
    ...THREE_AT_ONCE,
    ops: [
      { id: 3, client: 'c', atMs: 0, holdMs: 0, renews: false },
      { id: 6, client: 'b', atMs: 0, holdMs: 0, renews: false },
    ],
    faults: [{ kind: 'pause', client: 'c', when: { before: 'now', n, by: 'c' }, ms: 1_003 }],
  });

function isOverAtOnce(event: HistoryEvent): boolean {
  return event.type === 'granted' && event.validUntilMs === event.atMs;
}

test('a reader whose downgrade is over before its remaining time is read claims nothing until then', async () => {
  const subject = inModes(subjectOf('memory'), 'downgrades');
  let claimNothing = 0;
  for (let n = 1; n <= 80; n++) {
    const { history } = await play(pausedBefore(n), subject);
    const downgraded = history.filter(
      (event) => event.type === 'granted' && event.client === 'c' && event.mode?.kind === 'shared',
    );
    claimNothing += downgraded.filter(isOverAtOnce).length;

    expect(mutualExclusion(history)).toMatchObject({ kind: 'ok' });
  }

  // The pause falls right before that reading.
  expect(claimNothing).toBeGreaterThan(0);
});
