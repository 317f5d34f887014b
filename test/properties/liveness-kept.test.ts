import { parseSchedule, play } from '@holdfast/sim';
import { expect, test } from 'vitest';
import { SUBJECTS } from '../../packages/holdfast/src/search/index.ts';

/** Schedules that once called a lock stuck that was not. */

function op(id: number, client: string, holdMs: number): object {
  return { id, client, atMs: 0, holdMs, renews: false };
}

test('a key that was on its way to a waiter that gives up just then reaches the next one a handover later', async () => {
  const schedule = parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 10,
    nodes: 3,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [op(1, 'a', 0), op(2, 'b', 0), op(3, 'c', 30)],
    faults: [],
    aftermath: { atMs: 0, nodes: 4, how: 'slow', still: '', apartMs: 5 },
  });

  const { complaints, sometimes } = await play(schedule, SUBJECTS.zk);

  expect(complaints).toEqual([]);
  expect(sometimes).toContain('a key was handed over in an aftermath');
});
