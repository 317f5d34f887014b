import { readFileSync } from 'node:fs';
import {
  exhaust,
  play,
  type Schedule,
  type Scope,
  type TimeModel,
} from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { outcomeOf } from '../../harness/test/kit/exhaustive.ts';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { violationOf } from '../../harness/test/kit/search.ts';
import { mutantOf } from '../broken/copied-subjects.ts';
import { VALIDITY } from '../broken/mutant.ts';
import { MUTANTS } from '../broken/mutants/index.ts';

const PAGE = readFileSync(new URL('../../docs/testing/searching.md', import.meta.url), 'utf8');
/** Nothing here is timed. */
const TIMEOUT_MS = 3_600_000;
const TWO_ON_ONE: Scope = { clients: 2, nodes: 1 };
/** A node more is as much as can be gone through. */
const THREE_NODES = { clients: 2, nodes: 3, inOrder: true } as const;
/** Of what cannot be. */
const BUDGET = 100_000;

test('no order of the steps of three clients shows two valid holders of redis-simple, and the page says how many there are', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { isComplete, runs, abandoned, violated } = await outcomeOf(subjectOf('redis-simple'), {
    scope: { clients: 3, nodes: 1 },
    timeModel: 'calls are in time',
  });

  expect(isComplete).toBe(true);
  // The search would see them: it sees late holders, which no lock that expires can prevent.
  expect(Object.keys(violated)).toEqual(['belief violated']);
  expect(PAGE).toContain(`COMPLETE: ${runs} interleavings, none\nredis-simple, 3 clients`);
  expect(PAGE.replaceAll(/\s+/g, ' ')).toContain(
    `is equivalent to one of the ${runs}. ${abandoned} more were abandoned as equivalent.`,
  );
});

describe('no order of the steps of two clients shows two valid holders', {
  timeout: TIMEOUT_MS,
}, () => {
  // A late release of the legacy lock deletes what the next one has taken; that two hold it takes a third who comes then.
  test.each([
    ['redis-simple', ['belief violated']],
    ['redis-getset', ['belief violated', 'ownership violated']],
  ] as const)('of %s, where calls time out', async (name, wrong) => {
    const { isComplete, violated } = await outcomeOf(subjectOf(name), {
      scope: { clients: 2, nodes: 1 },
      timeModel: 'calls time out',
    });

    expect(isComplete).toBe(true);
    expect(Object.keys(violated).toSorted()).toEqual(wrong);
  });

  test('of redlock on three nodes, while a ttl passes at any moment at which nothing is on its way', async () => {
    const { isComplete, runs, violated } = await outcomeOf(subjectOf('redlock'), {
      scope: THREE_NODES,
      timeModel: 'calls are over',
    });

    expect(isComplete).toBe(true);
    // 39,111 more are left half way: together about a minute of one core.
    expect(runs).toBe(3_334);
    expect(Object.keys(violated)).toEqual(['belief violated']);
  });

  test('of redlock on three nodes, while a ttl passes among calls, in as many as there is time for', async () => {
    const { isComplete, violated } = await outcomeOf(subjectOf('redlock'), {
      scope: THREE_NODES,
      timeModel: 'calls are in time',
      budget: BUDGET,
    });

    // Were it complete, the command could do it, and the page should say so.
    expect(isComplete).toBe(false);
    expect(Object.keys(violated).filter((name) => name !== 'belief violated')).toEqual([]);
  });
});

// A mistake with clocks, and one with votes, which is what the three nodes are there for.
test.each([
  ['goes by a flag', 'flag-instead-of-clock'],
  ['is content with one vote of three', 'quorum-one-short'],
])(
  'of a redlock that %s an order shows two valid holders, which the right one withstands',
  {
    timeout: TIMEOUT_MS,
  },
  async (_, name) => {
    const mutant = MUTANTS.find((each) => each.name === name);
    if (mutant === undefined) throw new Error(`unknown mutant "${name}"`);
    const wrong = await mutantOf(mutant, 'redlock');
    let shown: Schedule | undefined;

    await exhaust(wrong, THREE_NODES, {
      timeModel: 'calls are over',
      budget: BUDGET,
      onRun: ({ played }) => {
        if (violationOf(played, VALIDITY)?.kind === 'violated') shown = played.schedule;
        return shown === undefined;
      },
    });

    expect(violationOf(await play(shown!, wrong), VALIDITY)?.kind).toBe('violated');
    expect(violationOf(await play(shown!, subjectOf('redlock')), VALIDITY)).toBeUndefined();
  },
);

test('three clients of redis-getset break the lock, in an order that can be replayed', {
  timeout: TIMEOUT_MS,
}, async () => {
  const shown: Schedule[] = [];
  const { isComplete } = await exhaust(
    subjectOf('redis-getset'),
    { clients: 3, nodes: 1 },
    {
      timeModel: 'calls are in time',
      budget: 1_000_000,
      onRun: ({ played }) => {
        if (violationOf(played, VALIDITY) !== undefined) shown.push(played.schedule);
        return shown.length === 0;
      },
    },
  );

  expect(isComplete).toBe(false);
  const again = await play(shown[0]!, subjectOf('redis-getset'));
  expect(violationOf(again, VALIDITY)?.kind).toBe('violated');
});

test.each<[lock: 'redis-getset' | 'redlock', scope: Scope, timeModel: TimeModel]>([
  ['redis-getset', TWO_ON_ONE, 'calls are in time'],
  ['redis-getset', TWO_ON_ONE, 'calls are over'],
  // Orders of the answers of several nodes are what is left out of the search there.
  ['redlock', { clients: 1, nodes: 3 }, 'calls are over'],
])(
  '%s in %o, %s, ends as in all orders',
  { timeout: TIMEOUT_MS },
  async (name, scope, timeModel) => {
    const all = await outcomeOf(subjectOf(name), { scope, timeModel, naive: true });
    const tried = await outcomeOf(subjectOf(name), { scope, timeModel });

    expect([all.isComplete, tried.isComplete]).toEqual([true, true]);
    expect(tried.ends).toEqual(all.ends);
    expect(tried.runs + tried.abandoned).toBeLessThan(all.runs);
  },
);
