import { type Contender, openMemory } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import {
  channelDriver,
  EPOCH_MS,
  immediateDriver,
  parseSchedule,
  play,
  type Schedule,
  type Subject,
} from '../../src/simulator/index.ts';

const MEMORY: Subject = {
  name: 'memory',
  nodes: 0,
  renews: true,
  tokens: true,
  tidy: true,
  open: ({ store, link }, host) => openMemory({ store, link }, host),
};

function schedule(faults: readonly unknown[], changes: object = {}): Schedule {
  return parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 1,
    nodes: 1,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 300, renews: false },
      { id: 2, client: 'b', atMs: 10, holdMs: 0, renews: false },
    ],
    faults,
    ...changes,
  });
}

const PAUSE = schedule([
  { kind: 'pause', client: 'a', when: { before: 'write', n: 1, by: 'a' }, ms: 1_200 },
]);

/** Memory with its attempts replaced. */
function withAttempts(attempt: Contender['attempt']): Subject {
  const contender: Contender = { attempt, withdraw: () => Promise.resolve({ kind: 'clean' }) };
  const open: Subject['open'] = async ({ store, link }, host) => {
    const backend = await openMemory({ store, link }, host);
    return Object.assign(backend, { contend: () => contender });
  };
  return { ...MEMORY, open };
}

describe('what a run tells', () => {
  test('without a fault all clients write, and contention took effect', async () => {
    const { history, complaints, effective, ops, accepted, sometimes } = await play(
      schedule([]),
      MEMORY,
    );

    expect(history.filter(({ type }) => type === 'write')).toHaveLength(4);
    expect(complaints).toEqual([]);
    expect({ effective, ops, accepted }).toEqual({ effective: true, ops: 2, accepted: 2 });
    expect([...sometimes]).toEqual(['contended acquire']);
  });

  test('a newcomer opens its lock when its first operation begins, and no earlier', async () => {
    const opened: string[] = [];
    const late = { id: 2, client: 'b', atMs: 700, holdMs: 0, renews: false };
    const ops = [
      { id: 1, client: 'a', atMs: 0, holdMs: 0, renews: false },
      late,
      { ...late, id: 3 },
    ];
    const watching: Subject = {
      ...MEMORY,
      open: (env, host) => {
        opened.push(`${host.label} ${host.runtime.now().wallMs - EPOCH_MS}`);
        return openMemory({ store: env.store, link: env.link }, host);
      },
    };

    const { accepted, complaints } = await play(schedule([], { ops, newcomers: 'b' }), watching);

    expect(opened).toEqual(['a 0', 'b 700']);
    expect({ accepted, complaints }).toEqual({ accepted: 3, complaints: [] });
  });

  test('a pause between the check and the write takes effect, and lets another client in', async () => {
    const { injections, history, sometimes } = await play(PAUSE, MEMORY);

    expect(injections).toMatchObject([{ kind: 'pause', fault: 0, actors: ['a'], effective: true }]);
    const writers = history.filter((event) => event.type === 'write' && !event.fenced);
    expect(writers.map(({ client }) => client)).toEqual(['b', 'a']);
    expect(sometimes).toContain('a token was refused');
  });

  test('a pause within the ttl is injected and does not matter', async () => {
    const brief = schedule([{ ...PAUSE.faults[0], ms: 900 }]);

    const { injections, effective } = await play(brief, MEMORY);

    expect(injections).toHaveLength(1);
    expect(effective).toBe(false);
  });

  test('a fault at a call that is never made affects no client', async () => {
    const never = schedule([
      { kind: 'pause', client: 'b', when: { before: 'write', n: 9, by: 'b' }, ms: 1_200 },
    ]);

    const { injections, effective } = await play(never, MEMORY);

    expect({ injections, effective }).toEqual({ injections: [], effective: false });
  });

  test('operations of the dead do not count among those that had to write', async () => {
    const { ops, accepted } = await play(
      schedule([{ kind: 'holder-crash', client: 'a', when: { before: 'write', n: 1, by: 'a' } }]),
      MEMORY,
    );

    expect({ ops, accepted }).toEqual({ ops: 1, accepted: 1 });
  });

  test('the control writes without a lock, and overwrites values that it has not read', async () => {
    const { history } = await play(schedule([]), {
      name: 'no-lock',
      nodes: 0,
      renews: true,
      tokens: false,
    });

    const reads = history.map((event) => (event.type === 'write' ? event.readValue : undefined));
    expect(reads).toEqual([0, 0]);
  });
});

test('one schedule has one trace hash, on either driver, beside any other work', async () => {
  const both = [immediateDriver, channelDriver, immediateDriver];

  const played = await Promise.all(
    both.map((driver) => play(PAUSE, MEMORY, { trace: true, driver })),
  );

  expect(new Set(played.map(({ hash }) => hash)).size).toBe(1);
  expect(played[0]?.hash).toMatch(/^[0-9a-f]{16}$/);
});

describe('a lock that does not end is reported, and never waited for', () => {
  test('one whose attempt never settles', async () => {
    const { complaints } = await play(
      schedule([]),
      withAttempts(() => new Promise(() => {})),
    );

    expect(complaints).toEqual(['an operation of a, b never ended']);
  });

  test('one that is always busy', async () => {
    const { complaints } = await play(
      schedule([]),
      withAttempts(async () => ({ kind: 'busy', retryAfterMs: 2_000 })),
    );

    expect(complaints).toEqual([
      'a never got its turn: LOCK_TIMEOUT',
      'b never got its turn: LOCK_TIMEOUT',
    ]);
  });

  test('one that polls as fast as it can', async () => {
    const { complaints } = await play(
      schedule([]),
      withAttempts(async () => ({ kind: 'busy', retryAfterMs: 0.001 })),
      { maxEvents: 5_000 },
    );

    expect(complaints[0]).toMatch(/^it never comes to an end: 5000 events have run/);
  });

  test('one that throws when it is opened', async () => {
    const broken: Subject = { ...MEMORY, open: () => Promise.reject(new Error('no such thing')) };

    const { complaints } = await play(schedule([]), broken);

    expect(complaints).toEqual(['the lock threw: no such thing']);
  });

  test('one that leaves a rejection behind', async () => {
    const careless = withAttempts(async () => {
      void Promise.reject(new Error('nobody looks'));
      return { kind: 'busy', retryAfterMs: 2_000 };
    });

    const { complaints } = await play(schedule([]), careless);

    expect(complaints[0]).toMatch(/^unhandled rejection at 0 ms: Error: nobody looks/);
  });

  test('one that uses a node and declares none', async () => {
    const greedy: Subject = {
      ...MEMORY,
      open: async ({ node }) => Promise.reject(new Error(node.address)),
    };

    const { complaints } = await play(schedule([]), greedy);

    expect(complaints[0]).toMatch(/memory uses a node, but declares none/);
  });
});
