import { openMemory } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { parseSchedule, play, type Schedule, type Subject } from '../../src/simulator/index.ts';

const MEMORY: Subject = {
  name: 'memory',
  nodes: 0,
  renews: true,
  tokens: true,
  open: ({ store, link }, host) => openMemory({ store, link }, host),
};

const CALM = { atMs: 0, nodes: 0, how: 'down', still: '', apartMs: 0 };

function schedule(aftermath: object, changes: object = {}): Schedule {
  return parseSchedule({
    v: 1,
    ttlMs: 1_000,
    latencyMs: 1,
    nodes: 3,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops: [
      { id: 1, client: 'a', atMs: 0, holdMs: 300, renews: false },
      { id: 2, client: 'b', atMs: 10, holdMs: 0, renews: false },
      { id: 3, client: 'c', atMs: 20, holdMs: 0, renews: false },
    ],
    faults: [],
    aftermath: { ...CALM, ...aftermath },
    ...changes,
  });
}

/** Memory whose waiters are never notified. */
const DEAF: Subject = {
  ...MEMORY,
  open: async ({ store, link }, host) => {
    const backend = await openMemory({ store, link: { ...link, deliver: () => {} } }, host);
    return backend;
  },
};

function impatient(subject: Subject, settleMs: number, handoverMs: number): Subject {
  return {
    ...subject,
    patience: { settleMs: () => settleMs, handoverMs: () => handoverMs },
  };
}

describe('requirements once the faults are over', () => {
  test('a lock that serves all waiters in time violates nothing', async () => {
    const { complaints, ops, accepted, sometimes } = await play(
      schedule({}),
      impatient(MEMORY, 2_000, 10),
    );

    expect(complaints).toEqual([]);
    // One operation each in the schedule, to settle, and to hand over; then a holder, and one behind it.
    expect([ops, accepted]).toEqual([11, 11]);
    expect(sometimes).toContain('a key was handed over in an aftermath');
  });

  test('a waiter that is not notified of a release waits for a poll, which is too long', async () => {
    const { complaints } = await play(schedule({}), impatient(DEAF, 3_000, 10));

    expect(complaints[0]).toMatch(
      /waited \d+ ms for a key that nobody held, after a release; more than 10 ms is too long/,
    );
  });

  test('a key that a paused client holds is free after its ttl, and not before', async () => {
    const stillHolder = { still: 'a', atMs: 100 };

    const inTime = await play(schedule(stillHolder), impatient(MEMORY, 1_100, 10));
    const tooLate = await play(schedule(stillHolder), impatient(MEMORY, 800, 10));

    expect(inTime.complaints).toEqual([]);
    expect(tooLate.complaints[0]).toMatch(/b and c waited \d+ ms .*, after the faults/);
  });

  test('nothing is required of a client that died', async () => {
    const faults = [{ kind: 'holder-crash', client: 'a', when: { atMs: 100 } }];

    const { complaints } = await play(schedule({}, { faults }), impatient(MEMORY, 1_100, 10));

    expect(complaints).toEqual([]);
  });

  test('no fault is injected any more, and injected ones run their course first', async () => {
    const faults = [
      { kind: 'pause', client: 'b', when: { atMs: 50 }, ms: 2_000 },
      { kind: 'pause', client: 'c', when: { atMs: 150 }, ms: 2_000 },
    ];

    const { complaints, injections } = await play(
      schedule({ atMs: 100 }, { faults }),
      impatient(MEMORY, 1_100, 10),
    );

    expect(complaints).toEqual([]);
    expect(injections.map(({ actors }) => actors)).toEqual([['b']]);
  });

  test('the same schedule plays the same', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => play(schedule({ still: 'b' }), MEMORY, { trace: true })),
    );

    expect(one?.hash).toBe(two?.hash);
  });
});

describe('when the servers could grant a hold to another', () => {
  test('at the end of its ttl where its holder is dead', async () => {
    const faults = [{ kind: 'holder-crash', client: 'a', when: { atMs: 100 } }];
    const { aftermath: _, ...plain } = schedule({}, { faults });

    const { keyFreed, history } = await play(plain, MEMORY, { recordsKeyFreed: true });

    const grant = history.find(({ type }) => type === 'granted');
    expect(keyFreed?.[0]).toEqual({ hold: 'a/1', atMs: 1_001, how: 'expired' });
    expect(grant).toMatchObject({ atMs: 2, validUntilMs: 988 });
  });

  test('at the release if there is one; and nothing is recorded by default', async () => {
    const { aftermath: _, ...plain } = schedule({});

    const watched = await play(plain, MEMORY, { recordsKeyFreed: true, trace: true });
    const unwatched = await play(plain, MEMORY, { trace: true });

    expect(watched.keyFreed?.map(({ how }) => how)).toEqual(['deleted', 'deleted', 'deleted']);
    expect(unwatched.keyFreed).toBeUndefined();
    expect(watched.hash).toBe(unwatched.hash);
  });
});
