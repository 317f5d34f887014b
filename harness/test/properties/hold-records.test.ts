import { judgeAnswers } from '@holdfast/harness/check';
import { type PlayResult, parseSchedule } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../src/locks/index.ts';
import { playGuarded } from '../../src/search/index.ts';

/** One holder of three nodes, the first of whose clocks jumps ahead meanwhile. */
const SCHEDULE = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 3,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [{ id: 1, client: 'a', atMs: 0, holdMs: 100, renews: true }],
  faults: [{ kind: 'server-clock-forward', nodes: 1, when: { atMs: 50 }, ms: 600 }],
});

async function recordOf(name: string): Promise<NonNullable<PlayResult['records']>[number]> {
  const { records = [] } = await playGuarded(SCHEDULE, subjectOf(name));
  const [record] = records;
  if (record === undefined || records.length > 1) throw new Error(`${records.length} records`);
  return record;
}

test('the record of a Redis server is in true time, and changes as its clock jumps', async () => {
  const { addresses, quorum } = await recordOf('redis-simple');
  const line = addresses[0]?.[0] ?? [];
  const [taken, jumped, ended] = line.map(({ atMs, untilMs }) => untilMs - atMs);

  expect(quorum).toBe(1);
  expect(line).toHaveLength(3);
  expect(taken).toBeGreaterThan(1_000);
  expect(taken).toBeLessThan(1_002);
  expect(jumped).toBeLessThan(360);
  expect(ended).toBe(Number.NEGATIVE_INFINITY);
});

test('on several nodes every address has a record, and a majority of them is the quorum', async () => {
  const { addresses, quorum } = await recordOf('redlock');

  expect(quorum).toBe(2);
  expect(addresses.map((lines) => lines.length)).toEqual([1, 1, 1]);
});

test('the leader of an ensemble records the first in the queue as the holder for as long as its session lives', async () => {
  const { addresses, quorum } = await recordOf('zk');
  const [first, ...more] = addresses[0]?.[0] ?? [];

  expect(quorum).toBe(1);
  expect(first?.untilMs).toBeGreaterThanOrEqual((first?.atMs ?? 0) + 1_000);
  expect(more.at(-1)).toMatchObject({ untilMs: Number.NEGATIVE_INFINITY, isOwn: true });
});

test('the in-memory store has a record of its own', async () => {
  const { addresses } = await recordOf('memory');

  expect(addresses[0]?.[0]).toMatchObject([
    { isOwn: false, isMade: false },
    { untilMs: Number.NEGATIVE_INFINITY, isOwn: true },
  ]);
});

/** Three of five nodes die in the middle of a vote, and the next vote wins; three lose that one, and one of these has the first again. */
const OLD_VOTE = parseSchedule({
  v: 1,
  ttlMs: 1_000,
  latencyMs: 4,
  nodes: 5,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [{ id: 1, client: 'b', atMs: 122, holdMs: 10, renews: false }],
  faults: [
    { kind: 'torn-log', nodes: 14, when: { atMs: 196 }, ms: 1, writes: 2 },
    { kind: 'torn-log', nodes: 22, when: { after: 'acquire', n: 1, by: 'n2' }, ms: 10, writes: 1 },
  ],
});

test('a vote of an earlier attempt that a torn log brings back is no vote of the hold', async () => {
  const { history, records = [] } = await playGuarded(OLD_VOTE, subjectOf('redlock'));
  const outcomes = history.flatMap((event) => (event.type === 'released' ? [event.outcome] : []));

  expect(outcomes).toEqual(['not-held']);
  expect(judgeAnswers(history, records).message).toBe('all reports about 1 holds were true');
});
