import { expect, test } from 'vitest';
import {
  BATCH,
  batchOf,
  type Fault,
  nodesIn,
  type Schedule,
  type Setup,
  schedulesFor,
} from '../../src/simulator/index.ts';

const TTL_MS = 1_000;

function someOf(setup: Partial<Setup>): readonly Schedule[] {
  return batchOf(schedulesFor(['restart-empty'], { nodes: 3, renews: true, ...setup }), 1, 0);
}

/** Numbers of servers that each fault affects. */
function affectedIn(schedules: readonly Schedule[]): readonly number[] {
  return schedules.flatMap(({ faults }) =>
    faults.flatMap((fault) => ('nodes' in fault ? nodesIn(fault.nodes).length : [])),
  );
}

/** Of operations that do not renew, and are not meant to be late; as a share of the ttl. */
function longest(schedules: readonly Schedule[]): number {
  const shares = schedules.flatMap(({ ops, ttlMs }) =>
    ops.flatMap(({ renews, holdMs }) => (renews || holdMs >= ttlMs ? [] : holdMs / ttlMs)),
  );
  return Math.max(...shares);
}

test.each([
  [undefined, [1, 2, 3]],
  ['minority', [1]],
  ['all', [3]],
] as const)('where a setup says that %s are affected, so many are', (affected, counts) => {
  const seen = new Set(affectedIn(someOf(affected === undefined ? {} : { affected })));

  expect(seen).toEqual(new Set(counts));
});

test('a single server is all of them, and never less than half: a fault still affects it', () => {
  for (const affected of ['minority', 'all'] as const)
    expect(new Set(affectedIn(someOf({ nodes: 1, affected })))).toEqual(new Set([1]));
});

test('a client that does not renew works for no longer than the share of the ttl that a lock allows', () => {
  expect(someOf({})).toHaveLength(BATCH);
  expect(longest(someOf({ fixedShare: 0.3 }))).toBeLessThanOrEqual(0.3);
  expect(longest(someOf({}))).toBeGreaterThan(0.6);
});

/** The share of schedules in which followers lag, and the share with an unusual ensemble. */
function oddShares(schedules: readonly Schedule[]): readonly number[] {
  return [
    schedules.filter(({ lagMs }) => lagMs > 0).length / BATCH,
    schedules.filter(({ ensemble }) => ensemble !== undefined).length / BATCH,
  ];
}

test('in some ensembles followers lag, in some times are other than usual, and on Redis nothing of the kind', () => {
  const [lagging = 0, unusual = 0] = oddShares(someOf({ ensemble: true }));

  expect(lagging).toBeGreaterThan(0.1);
  expect(lagging).toBeLessThan(0.6);
  expect(unusual).toBeGreaterThan(0.1);
  expect(unusual).toBeLessThan(0.6);
  expect(oddShares(someOf({}))).toEqual([0, 0]);
  expect(oddShares(someOf({ ensemble: true, lagging: true }))[0]).toBe(1);
});

test('a follower that is cut off answers for longer than a session lives, and for shorter', () => {
  const schedules = schedulesFor(['restart-empty'], { nodes: 3, renews: true, ensemble: true });
  const some = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((batch) => batchOf(schedules, 1, batch));
  const ratios = some.flatMap(({ ensemble }) =>
    ensemble === undefined ? [] : ensemble.syncLimit / ensemble.ticks,
  );

  expect(Math.min(...ratios)).toBeLessThan(1);
  expect(Math.max(...ratios)).toBeGreaterThan(1);
});

/** Draws many batches, so that rare values come, too. */
function manyOf(setup: Partial<Setup>, kind: 'delay' | 'none' = 'delay'): readonly Schedule[] {
  const schedules = schedulesFor([kind], { nodes: 5, renews: true, ...setup });
  return Array.from({ length: 8 }, (_, batch) => batchOf(schedules, 1, batch)).flat();
}

test('mostly the first calls are affected, and in some schedules one that comes late', () => {
  const places = manyOf({}).flatMap(({ faults }) =>
    faults.flatMap((fault) => ('n' in fault ? [fault.n] : [])),
  );

  expect(places.filter((n) => n > 3).length).toBeGreaterThan(places.length / 20);
  expect(places.filter((n) => n <= 3).length).toBeGreaterThan(places.length / 2);
  expect(Math.max(...places)).toBeGreaterThanOrEqual(10);
});

test('some schedules are long, some contenders have tried nine times, and some hold for a few messages', () => {
  const schedules = manyOf({}, 'none');

  expect(Math.max(...schedules.map(({ ops }) => ops.length))).toBeGreaterThan(12);
  expect(schedules.filter(({ ops }) => ops.length <= 7).length).toBeGreaterThan(480);
  expect(new Set(schedules.map(({ attempts }) => attempts))).toContain(9);
  expect(schedules.filter(({ attempts }) => attempts === undefined).length).toBeGreaterThan(256);
  expect(schedules.some(({ ops }) => ops.some(({ holdMs }) => holdMs > 0 && holdMs < 40))).toBe(
    true,
  );
});

test('contenders of an ensemble have no numbers to run out of, and so none have tried before', () => {
  expect(manyOf({ ensemble: true }).every(({ attempts }) => attempts === undefined)).toBe(true);
});

test('requests are aimed at one by one, beside the points that may mean several', () => {
  const labels = manyOf({ points: ['acquire'], requests: ['GETSET'] }).flatMap(({ faults }) =>
    faults.flatMap((fault) => ('label' in fault ? [fault.label] : [])),
  );

  expect(new Set(labels)).toEqual(new Set(['acquire', 'GETSET']));
});

test('if a setup requests it, some schedules have a node less, and faults name only existing nodes', () => {
  const schedules = manyOf({ fewer: true });
  const affected = schedules
    .filter(({ nodes }) => nodes === 4)
    .flatMap(({ faults }) =>
      faults.flatMap((fault) => ('nodes' in fault ? nodesIn(fault.nodes) : [])),
    );

  expect(new Set(schedules.map(({ nodes }) => nodes))).toEqual(new Set([4, 5]));
  expect(new Set(affected)).toEqual(new Set([0, 1, 2, 3]));
  expect(new Set(manyOf({ fewer: true, nodes: 3 }).map(({ nodes }) => nodes))).toEqual(
    new Set([3]),
  );
});

test('of two kinds half of the schedules and more have both', () => {
  const both = schedulesFor(['pause', 'delay'], { nodes: 1, renews: true });
  const kinds = batchOf(both, 1, 0).map(
    ({ faults }) => new Set(faults.map(({ kind }) => kind)).size,
  );

  expect(kinds.filter((count) => count === 2).length).toBeGreaterThan(BATCH / 2);
  expect(kinds).toContain(1);
});

test.each(['pause', 'loop-block', 'suspend'] as const)(
  'of %s and a cut between servers of an ensemble, in some schedules the cut follows close on it',
  (still) => {
    const setup = { nodes: 3, renews: true };
    const isClose = ({ ops, faults: [one, other] }: Schedule): boolean =>
      one?.kind === still &&
      (one.ms ?? 0) < (2 / 3) * TTL_MS &&
      other?.kind === 'peer-cut' &&
      JSON.stringify(other.when) === JSON.stringify({ before: 'read', n: 2, by: one.client }) &&
      ops.filter(({ client, atMs }) => client === one.client && atMs <= 100).length === 2;
    const shareOf = (more: Partial<Setup>): number =>
      batchOf(schedulesFor([still, 'peer-cut'], { ...setup, ...more }), 1, 0).filter(isClose)
        .length / BATCH;

    expect(shareOf({ ensemble: true })).toBeGreaterThan(0.15);
    expect(shareOf({})).toBe(0);
  },
);

test('servers are cut from each other both ways, and each way alone', () => {
  const cuts = batchOf(schedulesFor(['peer-cut'], { nodes: 3, renews: true }), 1, 0).flatMap(
    ({ faults }) => faults.flatMap((fault) => (fault.kind === 'peer-cut' ? [fault.way] : [])),
  );

  expect(new Set(cuts)).toEqual(new Set([undefined, 'out', 'in']));
});

test('longer leases lengthen all operations, and leave messages as fast as they were', () => {
  const [one, four] = [someOf({}), someOf({ ttlTimes: 4 })];

  for (const [i, { ttlMs, latencyMs, ops }] of four.entries()) {
    const usual = one[i];
    expect({ ttlMs, latencyMs }).toEqual({ ttlMs: 4_000, latencyMs: usual?.latencyMs });
    expect(ops.map(({ atMs, holdMs }) => [atMs / 4, holdMs / 4])).toEqual(
      usual?.ops.map(({ atMs, holdMs }) => [atMs, holdMs]),
    );
  }
});

test.each([
  [3, 2],
  [5, 3],
])(
  'of %i nodes %i restart one after another, each with time to be healed before the next',
  (nodes, count) => {
    for (const { faults, ttlMs } of someOf({ nodes, variation: 'rolling' })) {
      const affected = faults.flatMap((fault) => ('nodes' in fault ? nodesIn(fault.nodes) : []));
      expect(new Set(affected).size).toBe(count);
      expect(faults).toHaveLength(count);
      for (const [i, fault] of faults.slice(1).entries())
        expect(startOf(fault) - endOf(faults[i])).toBeGreaterThan(ttlMs / 3 + ttlMs / 10);
    }
  },
);

function startOf(fault: Fault | undefined): number {
  if (fault?.kind !== 'restart-empty' || fault.when === undefined || !('atMs' in fault.when))
    throw new Error('no restart');
  return fault.when.atMs;
}

function endOf(fault: Fault | undefined): number {
  return startOf(fault) + (fault?.ms ?? 0);
}
