import { type PlayResult, play, type Schedule } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../src/locks/index.ts';

const FEW = 10;
const MANY = 80;
/** One listing under way and one pending, while the answers to all creations come in. */
const LISTINGS_MAX = 10;

/** Operations of one process that request one key at once. */
function crowd(count: number): Schedule {
  const ops = Array.from({ length: count }, (_, i) => {
    return { id: i + 1, client: 'a', atMs: 0, holdMs: 5, renews: true };
  });
  return {
    v: 1,
    ttlMs: 4_000,
    latencyMs: 1,
    nodes: 3,
    replicas: 0,
    lagMs: 0,
    replicaClockMs: 0,
    ops,
    faults: [],
  };
}

async function played(count: number): Promise<PlayResult> {
  const options = { trace: true, maxEvents: 500_000 };
  const run = await play(crowd(count), subjectOf('zk'), options);
  expect(run.complaints).toEqual([]);
  return run;
}

/** The requests of the process, in order. */
function sentIn({ trace }: PlayResult): readonly string[] {
  return trace.flatMap(({ process, kind, label = '' }) =>
    process === 'a' && kind === 'send' ? [label] : [],
  );
}

async function perHandover(count: number): Promise<number> {
  const sent = sentIn(await played(count));
  return sent.slice(sent.indexOf('delete')).length / count;
}

test('a hand-over costs as many requests behind many waiters as behind few', async () => {
  expect(await perHandover(MANY)).toBeLessThan(1.2 * (await perHandover(FEW)));
});

test('many that queue up at once in one process share a few listings', async () => {
  const sent = sentIn(await played(MANY));
  const queueing = sent.slice(0, sent.indexOf('delete'));

  expect(queueing.filter((label) => label === 'list').length).toBeLessThanOrEqual(LISTINGS_MAX);
});
