import { parseStoryText, type Schedule } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../harness/test/kit/locks.ts';
import { loadMatrix, rowsOf, runCell } from '../../../harness/test/kit/matrix.ts';
import { playGuarded, violationOf } from '../../../harness/test/kit/search.ts';
import { textOf } from '../../stories/matrix-stories.ts';
import { type Effort, matrixTests, QUICK } from './matrix-tests.ts';
import { mutantOf } from './mutants.ts';

const SPLIT = 'redis-simple/sentinel-split';
const STILL = 'redis-simple/cluster';
const MOVING = 'redis-simple/cluster-moving';
const UNCURED = 'etcd/uncured';
/** Schedules of each lock where they are compared one by one; from 5 of 5 seeds twice as many show the difference. */
const COMPARED = 25;

/**
 * A is cut from the master and most sentinels for so long that it gives its connections up and asks again. Only the sentinel
 * answers that has not heard of the failover, and names the old master. Generated cuts hardly ever come to that.
 */
const CUT_FROM_MOST: Schedule = {
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 0, renews: false },
    { id: 2, client: 'a', atMs: 300, holdMs: 500, renews: true },
    { id: 3, client: 'b', atMs: 400, holdMs: 7_000, renews: true },
  ],
  faults: [
    { kind: 'client-cut', client: 'a', nodes: 1, when: { atMs: 200 }, ms: 7_000, way: 'both' },
  ],
};

/**
 * The slot begins to move at 100 ms, and its lock at 140. A's request was executed before that; it hears of nothing for a
 * second, and gives up. So its undo comes to the node from which the lock has moved.
 */
const UNDONE_WHILE_MOVING: Schedule = {
  v: 1,
  ttlMs: 10_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 60, holdMs: 50, renews: false, waitMs: 60 },
    { id: 2, client: 'b', atMs: 560, holdMs: 10, renews: false, waitMs: 4_000 },
  ],
  faults: [
    {
      kind: 'client-cut',
      client: 'a',
      nodes: 1,
      when: { after: 'acquire', n: 1, by: 'a' },
      ms: 1_000,
      way: 'reply',
    },
  ],
};

/** The cells of redis-simple where clients have to find its server. */
export function topologyTests(effort: Partial<Effort> & Pick<Effort, 'schedules'>): void {
  const matrix = loadMatrix();
  for (const column of matrix.topologies.columns) matrixTests(column, { ...QUICK, ...effort });

  test('a client that knows a higher epoch waits; one that believes any sentinel breaks the lock', async () => {
    const mutant = await mutantOf('outdated-sentinel-believed', SPLIT);
    const violated = [subjectOf(SPLIT), mutant].map(async (subject) => {
      const result = await playGuarded(CUT_FROM_MOST, subject, { guard: true });
      return violationOf(result, { property: 'validity', fenced: false })?.message;
    });

    expect(await Promise.all(violated)).toEqual([
      undefined,
      expect.stringMatching(/both held k validly/),
    ]);
  });

  test('an undo follows its slot, so that the next client gets the key; one that counts as done leaves it to its ttl', async () => {
    const mutant = await mutantOf('redirected-undo-counts', MOVING);
    const granted = [subjectOf(MOVING), mutant].map(async (subject) => {
      const played = await playGuarded(UNDONE_WHILE_MOVING, subject, { guard: true });
      return played.history.filter(({ type }) => type === 'granted').map(({ client }) => client);
    });

    expect(await Promise.all(granted)).toEqual([['b'], []]);
  });

  test('while slots move, as many operations succeed; without ASKING, fewer', async () => {
    const [contention] = rowsOf(matrix, MOVING);
    if (contention === undefined) throw new Error(`${MOVING} has no row`);
    const mutant = await mutantOf('asking-forgotten', MOVING);
    const accepted = [subjectOf(STILL), subjectOf(MOVING), mutant].map(async (subject) => {
      const { tally } = await runCell(subject, contention, { seed: 1, budget: COMPARED });
      return tally.accepted;
    });
    const [still = 0, moving = 0, forgotten = 0] = await Promise.all(accepted);

    expect(moving).toBe(still);
    expect(forgotten).toBeLessThan(still);
  });

  test('the same pause of a leader breaks the lock on etcd before the cure, and not after it', async () => {
    const { schedule } = parseStoryText(textOf('uncured-server-stop'));
    const violated = [UNCURED, 'etcd'].map(async (column) => {
      const result = await playGuarded(schedule, subjectOf(column), { guard: true });
      return violationOf(result, { property: 'validity', fenced: false })?.message;
    });

    expect(await Promise.all(violated)).toEqual([
      expect.stringMatching(/both held k validly/),
      undefined,
    ]);
  });
}
