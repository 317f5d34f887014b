import { describe, expect, test } from 'vitest';
import {
  batchOf,
  clientsOf,
  minimise,
  nodesIn,
  parseSchedule,
  type Repointing,
  type Schedule,
  schedulesFor,
} from '../../src/simulator/index.ts';

const SETUP = { nodes: 5, renews: true } as const;

/** The first schedule of a seed that satisfies a condition. */
function find(
  schedules: ReturnType<typeof schedulesFor>,
  is: (schedule: Schedule) => boolean,
): Schedule {
  for (let n = 0; n < 50; n++) {
    const found = batchOf(schedules, 1, n).find(is);
    if (found !== undefined) return found;
  }
  throw new Error('nothing generated is like that');
}

const paused = (schedule: Schedule): boolean =>
  schedule.faults.some((fault) => fault.kind === 'pause' && (fault.ms ?? 0) >= 1_234);

const quorum = ({ faults }: Schedule): boolean =>
  faults.some((fault) => 'nodes' in fault && nodesIn(fault.nodes).length >= 3);

/** A cut one way in an ensemble of many ticks. */
const isOdd = ({ faults, ensemble }: Schedule): boolean =>
  ensemble?.ticks === 10 && faults.some((each) => 'way' in each && each.way === 'in');

const isSpread = ({ nodes, ms }: Repointing): boolean => nodesIn(nodes).length > 1 && ms >= 777;

const isStruck = async ({ faults }: Schedule): Promise<boolean> => faults.length > 0;

/** Removing an operation breaks it, and so does nearly every other timing. */
const inTune = ({ ops, faults }: Schedule): boolean =>
  faults.length > 0 && ops.reduce((sum, { atMs }) => sum + atMs, 0) % 97 === 13;

describe('the rest is what the violation needs', () => {
  test('two clients and one fault, with the numbers at the edge', async () => {
    const from = find(schedulesFor(['pause'], SETUP), paused);

    const { schedule } = await minimise(from, async (candidate) => paused(candidate));

    expect(schedule.ops.map(({ atMs, holdMs, renews }) => ({ atMs, holdMs, renews }))).toEqual([
      { atMs: 0, holdMs: 0, renews: false },
      { atMs: 0, holdMs: 0, renews: false },
    ]);
    expect(clientsOf(schedule)).toHaveLength(2);
    expect(schedule.faults).toMatchObject([{ kind: 'pause', ms: 1_234 }]);
    expect(schedule.latencyMs).toBe(1);
  });

  test('without numbers only elements go, in few plays, and times stay as they were', async () => {
    const from = find(schedulesFor(['pause'], SETUP), paused);

    const { schedule, plays } = await minimise(from, async (candidate) => paused(candidate), {
      numbers: false,
    });

    expect(schedule.ops).toHaveLength(2);
    expect(schedule.faults).toHaveLength(1);
    for (const { atMs, holdMs } of schedule.ops)
      expect(from.ops).toContainEqual(expect.objectContaining({ atMs, holdMs }));
    const [fault] = schedule.faults;
    expect(from.faults).toContainEqual(
      expect.objectContaining({ kind: 'pause', ms: fault?.kind === 'pause' ? fault.ms : 0 }),
    );
    expect(plays).toBeLessThan(100);
  });

  test('the one address that has to lead elsewhere, from the start, for as long as it takes', async () => {
    const from = find(
      schedulesFor(['none'], { ...SETUP, repointed: true }),
      ({ repointings = [] }) => repointings.length === 2 && repointings.some(isSpread),
    );

    const { schedule } = await minimise(from, async ({ repointings = [] }) =>
      repointings.some(({ ms }) => ms >= 777),
    );

    expect(schedule.repointings).toMatchObject([{ atMs: 0, ms: 777 }]);
    expect(schedule.repointings?.map(({ nodes }) => nodesIn(nodes))).toEqual([
      [expect.any(Number)],
    ]);
  });

  test('newcomers, if they matter, under their new names; otherwise all clients were there from the start', async () => {
    const setup = { ...SETUP, newcomer: true };
    const from = find(schedulesFor(['pause'], setup), paused);
    expect(from.newcomers).toBe('c');

    const plain = await minimise(from, async (candidate) => paused(candidate));
    const needed = await minimise(
      from,
      async (candidate) => paused(candidate) && candidate.newcomers !== undefined,
    );

    expect(plain.schedule.newcomers).toBeUndefined();
    expect(clientsOf(needed.schedule)).toEqual(['a', 'b']);
    expect(needed.schedule.newcomers).toMatch(/^[ab]$/);
  });

  test('attempts that were made before, as few as are needed', async () => {
    const from = find(schedulesFor(['pause'], SETUP), ({ attempts }) => attempts === 9);

    const plain = await minimise(from, async (candidate) => paused(candidate));
    const needed = await minimise(from, async ({ attempts = 0 }) => attempts >= 7);

    expect(plain.schedule.attempts).toBeUndefined();
    expect(needed.schedule.attempts).toBe(7);
  });

  test('of a burst on many nodes as many as are needed', async () => {
    const from = find(schedulesFor(['restart-empty'], SETUP), ({ faults }) =>
      faults.some((fault) => 'nodes' in fault && fault.nodes === 31),
    );

    const { schedule } = await minimise(from, async (candidate) => quorum(candidate));

    const masks = schedule.faults.map((fault) => ('nodes' in fault ? nodesIn(fault.nodes) : []));
    expect(masks.map(({ length }) => length)).toEqual([3]);
  });

  test('a server that forgets stays away for a ttl where all did, for sooner back it does other harm', async () => {
    const delayed = schedulesFor(['restart-empty'], { ...SETUP, variation: 'delayed' });
    const usual = schedulesFor(['restart-empty'], SETUP);
    const kept = await minimise(
      find(delayed, () => true),
      isStruck,
    );
    const short = await minimise(
      find(usual, () => true),
      isStruck,
    );

    expect(kept.schedule.faults).toMatchObject([{ kind: 'restart-empty', ms: 1_000 }]);
    expect(short.schedule.faults).toMatchObject([{ kind: 'restart-empty', ms: 0 }]);
  });

  test('a cut both ways in a usual ensemble, unless it needs another', async () => {
    const from = find(schedulesFor(['peer-cut'], { ...SETUP, nodes: 3, ensemble: true }), isOdd);

    const plain = await minimise(from, async ({ faults }) => faults.length > 0);
    const needed = await minimise(from, async (candidate) => isOdd(candidate));

    expect(plain.schedule).not.toHaveProperty('ensemble');
    expect(plain.schedule.faults[0]).not.toHaveProperty('way');
    expect(needed.schedule.ensemble).toEqual({ ticks: 10, syncLimit: 5, reapMs: 60_000 });
    expect(needed.schedule.faults).toMatchObject([{ kind: 'peer-cut', way: 'in' }]);
  });

  test('a schedule that fails only when it is re-timed is found by re-timing', async () => {
    const from = find(
      schedulesFor(['pause'], SETUP),
      (each) => each.ops.length > 4 && inTune(each),
    );

    const { schedule } = await minimise(from, async (candidate) => inTune(candidate));

    expect(schedule.ops).toHaveLength(2);
  });
});

test('every candidate is a schedule that can be played', async () => {
  const kinds = ['split-brain', 'drift', 'client-cut', 'peer-cut', 'swizzle'] as const;
  const schedules = schedulesFor(kinds, { ...SETUP, ensemble: true });
  for (const from of batchOf(schedules, 3, 0).slice(0, 16)) {
    let tries = 0;
    await minimise(from, async (candidate) => {
      parseSchedule(JSON.parse(JSON.stringify(candidate)));
      return tries++ % 3 === 0;
    });
    expect(tries).toBeGreaterThan(0);
  }
});

test('it ends when its plays are spent', async () => {
  const [from] = batchOf(schedulesFor(['pause'], SETUP), 1, 0);

  const { plays } = await minimise(from!, async () => false, { playsMax: 25 });

  expect(plays).toBe(25);
});
