import { parseSchedule, play } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../../harness/test/kit/locks.ts';

test('a vote that a waiter has for a moment, three times over, is restored before the next node is emptied', async () => {
  const waiter = { holdMs: 0, renews: false };
  const schedule = parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 4,
    nodes: 3,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 6_000, renews: true },
      { id: 2, client: 'b', atMs: 1_335, ...waiter },
      { id: 3, client: 'c', atMs: 3_989, ...waiter },
    ],
    faults: [
      { kind: 'restart-empty', nodes: 1, when: { atMs: 998 }, ms: 3 },
      { kind: 'restart-empty', nodes: 4, when: { atMs: 1_651 }, ms: 5 },
    ],
  });

  const { history, accepted, ops } = await play(schedule, subjectOf('redlock-3'));

  expect(history.filter(({ type }) => type === 'lost')).toEqual([]);
  expect(accepted).toBe(ops);
});
