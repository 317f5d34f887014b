import { expect, test } from 'vitest';
import { openNaive } from '../../src/exhibits/stores/naive.ts';
import { postgresNow } from '../../src/exhibits/stores/postgres-now.ts';
import { subjectOf } from '../../src/locks/index.ts';
import { search } from '../../src/search/index.ts';
import { play, type Schedule, type Subject } from '../../src/simulator/index.ts';

const BUDGET = 60;

const inLongTransaction = subjectOf('postgres-now');

/** The same with a clock that runs on within a transaction. */
const byClock: Subject = {
  ...inLongTransaction,
  open: ({ database, openClient }, host) =>
    openNaive(postgresNow(database, openClient, 'clock_timestamp()'), host),
};

/** The same with `now()`, and a transaction for each attempt. */
const inShortTransactions: Subject = {
  ...inLongTransaction,
  open: ({ database, openClient }, host) => {
    const lock = postgresNow(database, openClient);
    const take: typeof lock.take = async (call) => {
      await lock.leave?.(call.owner);
      return await lock.take(call);
    };
    return openNaive({ ...lock, take }, host);
  },
};

/** A dies while it holds, and B waits. */
const DEAD_HOLDER: Schedule = {
  v: 1,
  ttlMs: 1_000,
  latencyMs: 1,
  nodes: 1,
  replicas: 0,
  lagMs: 0,
  replicaClockMs: 0,
  ops: [
    { id: 1, client: 'a', atMs: 0, holdMs: 0, renews: false },
    { id: 2, client: 'b', atMs: 50, holdMs: 0, renews: false },
  ],
  faults: [{ kind: 'holder-crash', client: 'a', when: { before: 'claim', n: 1, by: 'a' } }],
};

async function violationOf(subject: Subject): Promise<string | undefined> {
  const { counterexample } = await search({
    subject,
    faults: ['none'],
    setup: {},
    targets: [{ property: 'validity', fenced: false }],
    budget: BUDGET,
    seed: 1,
  });
  return counterexample?.violation.message;
}

async function granted(subject: Subject): Promise<readonly string[]> {
  const { history } = await play(DEAD_HOLDER, subject, { guard: true });
  return history.filter(({ type }) => type === 'granted').map(({ client }) => client);
}

test('a client that waited in its transaction believes for longer than its row lasts', async () => {
  expect(await violationOf(inLongTransaction)).toMatch(/both held k validly/);
  expect(await violationOf(byClock)).toBeUndefined();
  expect(await violationOf(inShortTransactions)).toBeUndefined();
});

test('a client that waits in its transaction never sees the lease of a dead holder expire', async () => {
  expect(await granted(inLongTransaction)).toEqual(['a']);
  expect(await granted(byClock)).toEqual(['a', 'b']);
  expect(await granted(inShortTransactions)).toEqual(['a', 'b']);
});
