import type { Subject, TimeModel } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { builtInSubject } from '../../src/locks/index.ts';
import { outcomeOf } from '../kit/exhaustive.ts';

/** Searches are not timed: a busy machine takes long. */
const TIMEOUT_MS = 600_000;

function subjectOf(name: string): Subject {
  const subject = builtInSubject(name);
  if (subject === undefined) throw new Error(`unknown lock "${name}"`);
  return subject;
}

const SMALL: readonly (readonly [lock: string, clients: number, timeModel: TimeModel])[] = [
  ['redis-simple', 1, 'calls time out'],
  ['redis-getset', 1, 'calls time out'],
  ['redis-simple', 2, 'no time passes'],
  ['redis-simple', 2, 'calls are over'],
  ['redis-simple', 2, 'calls are in time'],
];

describe.each(SMALL)('%s, %i clients, %s', { timeout: TIMEOUT_MS }, (lock, clients, timeModel) => {
  test('the orders that are tried end in the states and verdicts of all orders', async () => {
    const subject = subjectOf(lock);
    const search = { scope: { clients, nodes: 1 }, timeModel };

    const all = await outcomeOf(subject, { ...search, naive: true });
    const tried = await outcomeOf(subject, search);

    expect([all.isComplete, all.abandoned, tried.isComplete]).toEqual([true, 0, true]);
    expect(tried.ends).toEqual(all.ends);
    expect(tried.runs + tried.abandoned).toBeLessThan(all.runs);
  });
});

describe('no order of the steps', { timeout: TIMEOUT_MS }, () => {
  test('of two clients shows two valid holders of redis-simple', async () => {
    const { isComplete, violated } = await outcomeOf(subjectOf('redis-simple'), {
      scope: { clients: 2, nodes: 1 },
      timeModel: 'calls are in time',
    });

    expect(isComplete).toBe(true);
    // The search would see them: it sees late holders, which no lock that expires can prevent.
    expect(Object.keys(violated)).toEqual(['belief violated']);
  });

  test('of two clients shows two valid holders of redis-getset: that takes a third', async () => {
    const { isComplete, violated } = await outcomeOf(subjectOf('redis-getset'), {
      scope: { clients: 2, nodes: 1 },
      timeModel: 'calls are in time',
    });

    expect(isComplete).toBe(true);
    // A late release deletes what the next one has taken; that two hold it takes a third who comes then.
    expect(Object.keys(violated).toSorted()).toEqual(['belief violated', 'ownership violated']);
  });
});
