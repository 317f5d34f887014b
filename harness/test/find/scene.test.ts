import type { FaultId } from '@holdfast/core/backend';
import { parseSchedule, play, type Schedule, type Subject } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { drawText, type Scene } from '../../src/draw/index.ts';
import { sceneOf } from '../../src/find/scene-of.ts';
import { subjectOf } from '../../src/locks/index.ts';

type Spec = Partial<Omit<Schedule, 'faults'>> & { readonly faults?: readonly object[] };

const [FIRST, SECOND] = [
  { id: 1, client: 'a', atMs: 0, holdMs: 100, renews: false },
  { id: 2, client: 'b', atMs: 20, holdMs: 10, renews: false },
];

async function sceneFor(subject: Subject, spec: Spec): Promise<Scene> {
  const base = {
    v: 1,
    ttlMs: 1_000,
    latencyMs: 1,
    nodes: subject.nodes,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
  };
  const schedule = parseSchedule({ ...base, ops: [FIRST, SECOND], faults: [], ...spec });
  const played = await play(schedule, subject, { trace: true });
  return sceneOf(played, { property: 'validity', fenced: false });
}

/** Whom a server took for the holder, one after the other, and how that ended. */
function heldAt({ serverState }: Scene, server: string): readonly unknown[] {
  return serverState.filter(({ node }) => node === server).map(({ owner, end }) => [owner, end]);
}

function kinds({ faults }: Scene): readonly FaultId[] {
  return faults.map(({ kind }) => kind);
}

describe('a run of redis-simple', () => {
  const simple = subjectOf('redis-simple');

  test('shows clients by capital letters, the server, and the resource', async () => {
    const { actors, title } = await sceneFor(simple, {});

    expect(title).toBe('redis-simple, no fault');
    expect(actors.map(({ id, kind }) => [id, kind])).toEqual([
      ['A', 'client'],
      ['B', 'client'],
      ['n1', 'node'],
      ['counter', 'resource'],
    ]);
  });

  test('shows which client the server regarded as the holder, from its write until the key was released', async () => {
    const { serverState, messages } = await sceneFor(simple, {});
    const acquired = messages.find(({ from, label }) => from === 'A' && label === 'acquire');

    expect(serverState.map(({ node, key, owner, end }) => [node, key, owner, end])).toEqual([
      ['n1', 'k', 'A', 'released'],
      ['n1', 'k', 'B', 'released'],
    ]);
    expect(serverState[0]?.fromMs).toBe(acquired?.arrivedMs);
  });

  test('shows messages as they went there and back, and none that only taught a script', async () => {
    const { messages } = await sceneFor(simple, { ops: [FIRST] });

    expect(messages.map(({ from, to, label }) => `${from} ${to} ${label}`)).toEqual([
      'A n1 acquire',
      'n1 A reply to acquire',
      'A counter read',
      'counter A reply to read',
      'A counter write',
      'counter A reply to write',
      'A n1 release',
      'n1 A reply to release',
    ]);
    expect(messages.every(({ sentMs, arrivedMs }) => arrivedMs === sentMs + 1)).toBe(true);
  });

  test('shows that data was lost with a restart, and when the fault took effect', async () => {
    const when = { after: 'acquire', n: 2, by: 'n1' };
    const scene = await sceneFor(simple, {
      faults: [{ kind: 'restart-empty', nodes: 1, when, ms: 5 }],
    });

    expect(kinds(scene)).toEqual(['restart-empty']);
    expect(scene.faults[0]).toMatchObject({
      actors: ['n1'],
      text: 'crash; back without data after 5 ms',
    });
    expect(scene.serverState[0]).toMatchObject({
      owner: 'A',
      end: 'data lost',
      untilMs: scene.faults[0]?.atMs,
    });
  });

  test.for<[object, string]>([
    [{ kind: 'failover' }, 'the leader dies with what it has not replicated; back after 5 ms'],
    [{ kind: 'split-brain', stay: 'a' }, 'the leader is cut off from the others for 5 ms'],
    [{ kind: 'peer-cut' }, 'cut off from the other servers for 5 ms'],
  ])('says of an ensemble, which has no replicas: %j', async ([fault, text]) => {
    const scene = await sceneFor(subjectOf('zk'), {
      replicas: 1,
      lagMs: 1,
      faults: [{ nodes: 1, when: { atMs: 50 }, ms: 5, ...fault }],
    });

    expect(scene.faults.map((each) => each.text)).toEqual([text]);
  });

  test('shows that data came back with a durable restart: one hold, not two', async () => {
    const faults = [{ kind: 'restart-durable', nodes: 1, when: { atMs: 50 }, ms: 5 }];
    const { serverState } = await sceneFor(simple, { faults });

    expect(serverState.filter(({ owner }) => owner === 'A')).toHaveLength(1);
  });

  test('shows a reply that never arrived', async () => {
    const faults = [{ kind: 'lost-reply', client: 'a', nodes: 1, label: 'release', n: 1 }];
    const { messages } = await sceneFor(simple, { faults });

    expect(messages).toContainEqual(
      expect.objectContaining({ from: 'n1', to: 'A', label: 'reply to release', arrivedMs: null }),
    );
  });

  test('shows the replica only once a client sends it a request', async () => {
    const calm = await sceneFor(simple, { replicas: 1, lagMs: 1 });
    const when = { atMs: 50 };
    const failedOver = await sceneFor(simple, {
      replicas: 1,
      lagMs: 1,
      faults: [{ kind: 'failover', nodes: 1, when, ms: 0 }],
    });

    expect(calm.actors.map(({ id }) => id)).not.toContain('n1-replica');
    expect(failedOver.actors.map(({ id }) => id)).toContain('n1-replica');
  });

  test('shows that an old master takes the holder of the new one when a split brain is over', async () => {
    const fault = { kind: 'split-brain', nodes: 1, when: { atMs: 6 }, ms: 60, stay: 'a' };
    const { serverState } = await sceneFor(simple, {
      replicas: 1,
      lagMs: 20,
      ops: [
        { ...FIRST, holdMs: 300 },
        { ...SECOND, holdMs: 200 },
      ],
      faults: [fault],
    });

    expect(
      serverState.filter(({ node }) => node === 'n1').map(({ owner, end }) => [owner, end]),
    ).toEqual([
      ['A', 'data lost'],
      ['B', 'released'],
    ]);
  });

  test('shows how far a clock has jumped', async () => {
    const when = { atMs: 50 };
    const { actors } = await sceneFor(simple, {
      faults: [{ kind: 'client-clock', client: 'a', when, ms: 700 }],
    });
    const [before, after] = actors[0]?.clock ?? [];

    expect((after?.wallMs ?? 0) - (before?.wallMs ?? 0) - (after?.atMs ?? 0)).toBe(700);
  });

  test('tells a pause once: as the fault, until it is over', async () => {
    const when = { before: 'write', n: 1, by: 'a' };
    const scene = await sceneFor(simple, {
      faults: [{ kind: 'pause', client: 'a', when, ms: 1_200 }],
    });
    const text = drawText(scene);

    expect(text).toContain('↯ is paused for 1200 ms, right before it writes');
    expect(text).toContain('↯ resumes');
    expect(text.match(/is paused/g)).toHaveLength(1);
    expect(text).toContain('k, held for A, expires');
  });
});

test('arguments and replies of plain commands are shown, with times of day', async () => {
  const { messages } = await sceneFor(subjectOf('redis-getset'), {});

  expect(messages.find(({ label }) => label === 'SETNX')?.detail).toMatch(/^00:00:01\.\d{3} → 1$/);
});

test('a key without a ttl comes back with a durable restart, and keeps its holder', async () => {
  const faults = [{ kind: 'restart-durable', nodes: 1, when: { atMs: 50 }, ms: 5 }];

  const scene = await sceneFor(subjectOf('redis-getset'), { ops: [FIRST], faults });

  expect(heldAt(scene, 'n1')).toEqual([['A', 'released']]);
});

test('an older value that comes back with a log without its tail is held for the client that wrote it', async () => {
  const faults = [
    { kind: 'pause', client: 'a', when: { before: 'release', n: 1, by: 'a' }, ms: 5_000 },
    { kind: 'torn-log', nodes: 1, when: { atMs: 1_300 }, ms: 5, writes: 1 },
  ];
  const next = { id: 2, client: 'b', atMs: 20, holdMs: 400, renews: false };

  const scene = await sceneFor(subjectOf('redis-getset'), { ops: [FIRST, next], faults });

  expect(heldAt(scene, 'n1')).toEqual([
    ['A', 'taken'],
    ['B', 'data lost'],
    ['A', 'removed'],
  ]);
});

test('a key that another client than its holder deletes is shown as such', async () => {
  const getset = subjectOf('redis-getset');
  const late = { id: 1, client: 'a', atMs: 0, holdMs: 100, renews: false };
  const next = { id: 2, client: 'b', atMs: 20, holdMs: 300, renews: false };
  const when = { before: 'release', n: 1, by: 'a' };
  const scene = await sceneFor(getset, {
    ops: [late, next],
    faults: [{ kind: 'pause', client: 'a', when, ms: 1_100 }],
  });

  expect(scene.serverState).toContainEqual(
    expect.objectContaining({ owner: 'B', end: 'removed', by: 'A' }),
  );
  expect(drawText(scene)).toContain('k, held for B, is deleted by A');
});

test('the store of the in-memory backend has a lane like a server', async () => {
  const { actors, messages } = await sceneFor(subjectOf('memory'), { nodes: 1 });

  expect(actors.map(({ id }) => id)).toContain('store');
  expect(messages.filter(({ to }) => to === 'store').length).toBeGreaterThan(0);
});

test('all nodes of redlock have a lane', async () => {
  const { actors, serverState } = await sceneFor(subjectOf('redlock'), {});

  expect(actors.filter(({ kind }) => kind === 'node')).toHaveLength(5);
  expect(new Set(serverState.map(({ node }) => node)).size).toBe(5);
  expect(new Set(serverState.map(({ owner }) => owner))).toEqual(new Set(['A', 'B']));
});

describe('a run of zk', () => {
  test('says whose node each server has first in the queue, followers a message after their leader', async () => {
    const scene = await sceneFor(subjectOf('zk'), {});

    const servers = [...new Set(scene.serverState.map(({ node }) => node))];
    expect(servers.length).toBeGreaterThan(0);
    for (const server of servers) {
      expect(heldAt(scene, server)).toEqual([
        ['A', 'released'],
        ['B', 'released'],
      ]);
    }
    const [first, second] = scene.serverState.filter(({ node }) => node === servers[0]);
    expect(first?.untilMs).toBe(second?.fromMs);
  });

  test('shows that a server removes the node of a paused client only when its session is over', async () => {
    const faults = [
      { kind: 'pause', client: 'a', when: { before: 'write', n: 1, by: 'a' }, ms: 3_000 },
    ];

    const scene = await sceneFor(subjectOf('zk'), { faults });

    const own = scene.serverState.find(({ owner }) => owner === 'A');
    expect(own?.end).toBe('expired');
    expect(own?.untilMs).toBeGreaterThan(1_000);
    expect(scene.serverState.find(({ owner }) => owner === 'B')?.fromMs).toBe(own?.untilMs);
  });

  test('shows nothing at a server while it is down', async () => {
    const faults = [
      { kind: 'restart-durable', when: { after: 'acquire', n: 1, by: 'n3' }, nodes: 7, ms: 200 },
    ];

    const scene = await sceneFor(subjectOf('zk'), { faults });

    const crash = scene.faults.find(({ kind }) => kind === 'restart-durable');
    expect(crash).toBeDefined();
    const during = (crash?.atMs ?? 0) + 100;
    expect(
      scene.serverState.filter(({ fromMs, untilMs }) => fromMs <= during && during < untilMs),
    ).toEqual([]);
    expect(scene.serverState.some(({ fromMs }) => fromMs > during)).toBe(true);
  });
});
