import { parseSchedule, play, type Schedule, type Subject } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { LOCKS, subjectOf } from '../src/locks/index.ts';

function calm(nodes: number): Schedule {
  return parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 1,
    nodes,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 100, renews: false },
      { id: 2, client: 'b', atMs: 10, holdMs: 0, renews: false },
    ],
    faults: [],
    aftermath: { atMs: 0, nodes: 0, how: 'down', still: '', apartMs: 0 },
  });
}

async function complaintsOf(subject: Subject): Promise<readonly string[]> {
  const { complaints } = await play(calm(Math.max(1, subject.nodes)), subject);
  return complaints;
}

/** The lock, with a `close` that does nothing. */
function neverClosed(name: string): Subject {
  const right = subjectOf(name);
  const open: Subject['open'] = async (env, host) => {
    if (right.open === undefined) throw new Error(`${name} opens nothing`);
    return Object.assign(await right.open(env, host), { close: () => Promise.resolve() });
  };
  return { ...right, open };
}

test.each(LOCKS)('$name violates nothing without a fault', async ({ name }) => {
  expect(await complaintsOf(subjectOf(name))).toEqual([]);
});

test('an unused key is found', async () => {
  const complaints = await complaintsOf({ ...subjectOf('redis-simple'), keeps: () => false });

  expect(complaints).toEqual(['the key holdfast:v1:{k}:fence is left on n1']);
});

test('a session that survives closing is found, by its timers and its node', async () => {
  const complaints = await complaintsOf(neverClosed('zk'));

  expect(complaints).toContain('a has closed, and one of its timers is left');
  expect(
    complaints.filter((each) => /the node .*\/sessions\/.* is left on n1/.test(each)),
  ).not.toEqual([]);
});

test('every lock that promises wake-ups must serve a waiter without polling', () => {
  const situation = { ttlMs: 1_000, latencyMs: 1, waiters: 1, jumpedMs: 0 };

  for (const name of ['memory', 'redis-simple', 'redlock', 'zk'] as const)
    expect(subjectOf(name).patience?.handoverMs(situation), name).toBeLessThan(50);
});
