import { type Attempt, openMemory } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { parseSchedule, play, type Schedule, type Subject } from '../../src/simulator/index.ts';

const MEMORY: Subject = {
  name: 'memory',
  nodes: 0,
  renews: true,
  tokens: true,
  patience: { settleMs: () => 1_000, handoverMs: () => 10 },
  open: ({ store, link }, host) => openMemory({ store, link }, host),
};

/** Its waiters are never notified. */
const DEAF: Subject = {
  ...MEMORY,
  open: ({ store, link }, host) =>
    openMemory({ store, link: { ...link, deliver: () => {} } }, host),
};

const LATE =
  /b waited \d+ ms for a key that nobody held, and no fault explains it; more than \d+ ms/;

function schedule(changes: object = {}): Schedule {
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
    faults: [],
    ...changes,
  });
}

async function complaintsOf(subject: Subject, changes?: object): Promise<readonly string[]> {
  return (await play(schedule(changes), subject)).complaints;
}

describe('where nothing goes wrong', () => {
  test('a waiter that is served at once leads to no complaint', async () => {
    expect(await complaintsOf(MEMORY)).toEqual([]);
  });

  test('a waiter that sleeps through a release waits too long, without any aftermath', async () => {
    expect(await complaintsOf(DEAF)).toEqual([expect.stringMatching(LATE)]);
  });

  test('a lease that was lost excuses the handover that follows', async () => {
    const ops = [
      { id: 1, client: 'a', atMs: 0, holdMs: 1_400, renews: false },
      { id: 2, client: 'b', atMs: 10, holdMs: 0, renews: false },
    ];

    expect(await complaintsOf(DEAF, { ops })).toEqual([]);
  });

  test('a fault excuses all delays after it', async () => {
    const faults = [{ kind: 'client-clock', client: 'a', when: { atMs: 100 }, ms: 1 }];

    expect(await complaintsOf(DEAF, { faults })).toEqual([]);
  });
});

describe('an aftermath', () => {
  const CALM = { atMs: 0, nodes: 0, how: 'down', still: '', apartMs: 0 };

  test('sets how long each client holds while the key is handed over', async () => {
    const aftermath = { ...CALM, holdMs: 37 };
    const { history } = await play(schedule({ aftermath }), MEMORY);

    // Reading and writing take two ways each.
    expect(heldMs(history).filter((ms) => ms === 37 + 4)).toHaveLength(2);
  });
});

function heldMs(history: Awaited<ReturnType<typeof play>>['history']): readonly number[] {
  return history.flatMap((event) => {
    if (event.type !== 'enter') return [];
    const exit = history.find((each) => each.type === 'exit' && each.hold === event.hold);
    return exit === undefined ? [] : [exit.atMs - event.atMs];
  });
}

describe('contenders that have made attempts', () => {
  test('begin with the next attempt, and have sent nothing for those before', async () => {
    const asked: number[] = [];
    const subject: Subject = {
      ...MEMORY,
      open: async (env, host) => {
        const backend = await MEMORY.open?.(env, host);
        if (backend === undefined) throw new Error('memory cannot be opened');
        const contend = backend.contend.bind(backend);
        return Object.assign(backend, {
          contend: (request: Parameters<typeof contend>[0]) => {
            const contender = contend(request);
            const attempt = contender.attempt.bind(contender);
            return Object.assign(contender, {
              attempt: (deadlineMs: number): Promise<Attempt> => {
                asked.push(deadlineMs);
                if (deadlineMs > 0) return attempt(deadlineMs);
                return Promise.resolve({ kind: 'unavailable', cause: new Error('too late') });
              },
            });
          },
        });
      },
    };

    const { accepted } = await play(
      schedule({ attempts: 3, ops: schedule().ops.slice(0, 1) }),
      subject,
    );

    expect(accepted).toBe(1);
    expect(asked.map((deadlineMs) => deadlineMs > 0)).toEqual([false, false, false, true]);
  });
});
