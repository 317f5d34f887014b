import { parseSchedule, play } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../src/locks/index.ts';

/** Schedules in which a lock was stuck, or was reported so, because of a mistake in it or in the simulator. */

function op(id: number, client: string, holdMs: number): object {
  return { id, client, atMs: 0, holdMs, renews: false };
}

test('a key that is being handed to a waiter that gives up reaches the next waiter one handover later', async () => {
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

  const { complaints, sometimes } = await play(schedule, subjectOf('zk'));

  expect(complaints).toEqual([]);
  expect(sometimes).toContain('a key was handed over in an aftermath');
});

test('the next waiter, on slow links to an ensemble, asks the leader first, and sends no useless proof of life', async () => {
  const schedule = parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 9,
    nodes: 3,
    replicas: 0,
    lagMs: 47,
    replicaClockMs: 0,
    ops: [
      { ...op(1, 'a', 1_494), atMs: 364, renews: true },
      { ...op(2, 'b', 1_133), atMs: 88 },
      { ...op(3, 'c', 1_496), atMs: 26 },
      { ...op(4, 'a', 260), atMs: 46 },
      { ...op(5, 'a', 143), atMs: 146 },
      { ...op(6, 'c', 34), atMs: 313, renews: true },
      { ...op(7, 'c', 697), atMs: 127, renews: true },
    ],
    faults: [],
    aftermath: { atMs: 31, nodes: 4, how: 'slow', still: '', apartMs: 6 },
  });

  const { complaints, sometimes } = await play(schedule, subjectOf('zk'));

  expect(complaints).toEqual([]);
  expect(sometimes).toContain('a key was handed over in an aftermath');
});

test('paused servers, and clients that come and go meanwhile, do not delay an election', async () => {
  const schedule = parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 3,
    nodes: 3,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { ...op(1, 'a', 145), atMs: 146 },
      { ...op(2, 'b', 532), atMs: 382, renews: true },
      { ...op(3, 'c', 1_260), atMs: 69 },
    ],
    faults: [
      { kind: 'server-stop', when: { after: 'release', n: 1, by: 'n2' }, nodes: 5, ms: 2_298 },
      { kind: 'server-stop', when: { before: 'read', n: 2, by: 'c' }, nodes: 3, ms: 2_545 },
    ],
    aftermath: { atMs: 1_196, nodes: 4, how: 'stopped', still: '', apartMs: 2 },
  });

  const { complaints, sometimes } = await play(schedule, subjectOf('zk'));

  expect(complaints).toEqual([]);
  expect(sometimes).toContain('a key was handed over in an aftermath');
});

test('a subscriber to a master that was demoted during the dial hears of releases at the new one', async () => {
  const schedule = parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 7,
    nodes: 5,
    replicas: 1,
    lagMs: 4,
    replicaClockMs: 0,
    ops: [
      { ...op(1, 'a', 8), atMs: 54 },
      { ...op(2, 'b', 1_483), atMs: 84 },
      { ...op(3, 'c', 529), atMs: 350, renews: true },
    ],
    faults: [
      {
        kind: 'split-brain',
        when: { after: 'release', n: 2, by: 'n3' },
        stay: 'b',
        nodes: 27,
        ms: 3,
      },
    ],
    aftermath: { atMs: 2_496, nodes: 20, apartMs: 0, how: 'stopped', still: 'c' },
  });

  const { complaints, sometimes } = await play(schedule, subjectOf('redlock'));

  expect(complaints).toEqual([]);
  expect(sometimes).toContain('a key was handed over in an aftermath');
});

test('a queue node that a paused client had requested is waited for until its session ends, and no longer', async () => {
  const schedule = parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 2,
    nodes: 3,
    replicas: 0,
    lagMs: 34,
    replicaClockMs: 0,
    ops: [
      { ...op(1, 'a', 1_152), atMs: 108, renews: true },
      { ...op(2, 'b', 4), atMs: 54 },
      { ...op(3, 'c', 6), atMs: 95 },
      { ...op(4, 'a', 22), atMs: 134 },
      { ...op(5, 'c', 115), atMs: 267 },
      { ...op(6, 'a', 1_118), atMs: 265 },
      { ...op(7, 'a', 1_105), atMs: 2, renews: true },
    ],
    faults: [
      { kind: 'client-cut', when: { atMs: 6 }, client: 'a', nodes: 7, way: 'both', ms: 2_127 },
    ],
    aftermath: { atMs: 2_195, nodes: 1, how: 'stopped', still: 'a', apartMs: 0 },
  });

  const { complaints, sometimes } = await play(schedule, subjectOf('zk'));

  expect(complaints).toEqual([]);
  expect(sometimes).toContain('a key was handed over in an aftermath');
});
