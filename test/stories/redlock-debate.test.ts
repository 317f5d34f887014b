import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FaultId } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { builtInSubject } from '../../harness/test/kit/locks.ts';
import { search } from '../../harness/test/kit/search.ts';
import { keptNames } from './matrix-stories.ts';
import { DEBATE, outcomeOf } from './redlock-debate.ts';
import { DEBATE_STORIES } from './redlock-debate-stories.ts';

const LESSON = readFileSync(
  fileURLToPath(new URL('../../docs/lessons/09-debate.md', import.meta.url)),
  'utf8',
);

describe.each(DEBATE)('$claim', ({ claim, stories }) => {
  test.each(Object.entries(stories))('%s is kept, and comes to: %s', async (name, outcome) => {
    expect(keptNames()).toContain(name);
    expect(await outcomeOf(name)).toBe(outcome);
  });

  test('is judged by a story at least, and named with all of them in lesson 9', () => {
    const row = LESSON.split('\n').find((line) => line.startsWith(`| ${claim} |`)) ?? '';

    expect(Object.keys(stories)).not.toEqual([]);
    expect(Object.keys(stories).filter((name) => !row.includes(`\`${name}\``))).toEqual([]);
  });
});

test('every story that was made for the debate belongs to a claim', () => {
  const played = new Set(DEBATE.flatMap(({ stories }) => Object.keys(stories)));

  expect(DEBATE_STORIES.map(({ name }) => name).filter((name) => !played.has(name))).toEqual([]);
});

/** Of schedules; what is wrong with the counters shows in fewer. */
const BUDGET = 200;

/** True if a resource that compares tokens ever accepts writes out of order under this lock. */
async function isFound(lock: string, fault: FaultId, budget: number): Promise<boolean> {
  const subject = builtInSubject(lock);
  if (subject === undefined) throw new Error(`unknown lock "${lock}"`);
  const targets = [{ property: 'resource', fenced: true }] as const;
  return (
    (await search({ subject, faults: [fault], seed: 1, budget, targets })).counterexample !==
    undefined
  );
}

test.each(['none', 'delay', 'pause', 'client-cut'] as const)(
  'claims keep writes in turns, and so does a fence without a lock, under %s',
  async (fault) => {
    expect(await isFound('redis-simple-claimed', fault, BUDGET)).toBe(false);
    expect(await isFound('fence-alone', fault, BUDGET)).toBe(false);
  },
);

test('tokens that five servers count for themselves do not', async () => {
  expect(await isFound('redlock-counters', 'delay', BUDGET)).toBe(true);
});
