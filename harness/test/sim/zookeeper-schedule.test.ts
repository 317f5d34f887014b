import { openMemory } from '@holdfast/core/backend';
import { expect, test } from 'vitest';
import { ZooKeeperCluster } from '../../src/servers/zookeeper/simulated/cluster.ts';
import { type Fault, play, type Schedule, type Subject, World } from '../../src/simulator/index.ts';
import { type SimZooKeeperServer } from '../../src/simulator/stores.ts';

const CALM: Schedule = {
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 3,
  replicas: 1,
  lagMs: 1,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 600, renews: false },
    { id: 2, client: 'b', atMs: 10, holdMs: 0, renews: false },
  ],
  faults: [],
};

/** Locks in memory, and keeps a session besides, so that the ensemble has a client. */
const SUBJECT: Subject = {
  name: 'with-a-session',
  nodes: 3,
  ensemble: true,
  renews: true,
  tokens: true,
  open: async ({ openSession, store, link }, host) => {
    const session = await openSession(host.runtime.now().monotonicMs + 1_000);
    expect(session.timeoutMs).toBe(CALM.ttlMs);
    return openMemory({ store, link }, host);
  },
};

const WHEN = { when: { atMs: 100 }, ms: 200 } as const;

test.each<readonly [Fault, readonly string[]]>([
  [{ kind: 'failover', nodes: 1, ...WHEN }, ['n3']],
  [{ kind: 'split-brain', nodes: 1, stay: 'a', ...WHEN }, ['n3']],
  [{ kind: 'peer-cut', nodes: 2, ...WHEN }, ['n2']],
  [{ kind: 'restart-durable', nodes: 5, ...WHEN }, ['n1', 'n3']],
  [{ kind: 'server-stop', nodes: 4, ...WHEN }, ['n3']],
])('a fault of an ensemble affects its servers: %j', async (fault, actors) => {
  const played = await play({ ...CALM, faults: [fault] }, SUBJECT, { trace: true });

  expect(played.complaints).toEqual([]);
  expect(played.injections.map((injection) => injection.actors)).toEqual([actors]);
  expect(played.effective).toBe(true);
});

test('runs of one schedule on an ensemble have one trace', async () => {
  const faults: Fault[] = [{ kind: 'failover', nodes: 1, ...WHEN }];
  const hashes = await Promise.all(
    [1, 2, 3].map(() => play({ ...CALM, faults }, SUBJECT, { trace: true })),
  );

  expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(1);
});

test('a lock that declares no ensemble cannot open a session', async () => {
  const played = await play(CALM, { ...SUBJECT, ensemble: false });

  expect(played.complaints).toEqual([expect.stringContaining('declares no ensemble')]);
});

test.each<readonly ['out' | 'in' | undefined, number, readonly string[]]>([
  [undefined, 0b010, ['n1>n2', 'n2>n1', 'n2>n3', 'n3>n2']],
  ['out', 0b010, ['n2>n1', 'n2>n3']],
  ['in', 0b010, ['n1>n2', 'n3>n2']],
  ['out', 0b111, ['n1>n2', 'n1>n3', 'n2>n3']],
  ['in', 0b111, ['n2>n1', 'n3>n1', 'n3>n2']],
])(
  'a cut %s of the servers %i closes these ways, and opens them again',
  async (way, nodes, ways) => {
    const fault: Fault = { kind: 'peer-cut', nodes, ...WHEN, ...(way && { way }) };

    const { trace } = await play({ ...CALM, faults: [fault] }, SUBJECT, { trace: true });

    for (const kind of ['cut', 'heal']) {
      const roads = trace
        .filter((each) => each.kind === kind)
        .map((each) => `${each.process}>${each.to}`);
      expect(roads.toSorted(), kind).toEqual(ways);
    }
  },
);

function firstOf(schedule: Schedule): SimZooKeeperServer | undefined {
  return new ZooKeeperCluster(new World(), schedule, { size: 3 }).members[0];
}

test('an ensemble is configured as a schedule says, and with the usual values by default', () => {
  const ensemble = { ticks: 5, syncLimit: 2, reapMs: 300 };
  const usual = firstOf({ ...CALM, lagMs: 0 });
  const other = firstOf({ ...CALM, lagMs: 40, ensemble });

  expect(usual?.program.settings).toMatchObject({
    tickMs: 500,
    syncLimit: 5,
    containerCheckMs: 60_000,
    lagMs: 0,
  });
  expect(other?.program.settings).toMatchObject({
    tickMs: 200,
    syncLimit: 2,
    containerCheckMs: 300,
    lagMs: 40,
  });
});
