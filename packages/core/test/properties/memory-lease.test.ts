import { clientsOf, storyToString } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../../harness/test/kit/locks.ts';
import {
  minimiseToStory,
  search,
  TARGET_PROPERTIES,
  type TargetProperty,
  type TracedStory,
} from '../../../../harness/test/kit/search.ts';

const subject = subjectOf('memory');
const SCHEDULES = 1_000;
/** Share of the schedules in which the fault must matter. With less, the property proves nothing. */
const EFFECTIVE_MIN = 0.2;
const LATE: TargetProperty = { property: 'belief', fenced: false };
/** All violations by the lock. A late holder is none, nor its effects on a resource that does not compare tokens. */
const BROKEN = TARGET_PROPERTIES.filter(
  ({ property, fenced }) => property !== 'belief' && (property !== 'resource' || fenced),
);

test(`no two leases are valid at once, no late write passes the fence and nothing leaks, in ${SCHEDULES} schedules`, async () => {
  const faults = ['pause', 'holder-crash'] as const;

  const { counterexample, tally } = await search({
    subject,
    faults,
    targets: BROKEN,
    budget: SCHEDULES,
    seed: 1,
  });

  expect(counterexample).toBeUndefined();
  expect(tally.schedules).toBe(SCHEDULES);
  expect(tally.effective / SCHEDULES).toBeGreaterThanOrEqual(EFFECTIVE_MIN);
  expect(Object.keys(tally.sometimes).toSorted()).toEqual([
    'a client died',
    'a holder came late',
    'a lease ran out while held',
    'a token was refused',
    'contended acquire',
  ]);
});

test('without a fault no holder is ever late', async () => {
  const { counterexample } = await search({
    subject,
    faults: ['none'],
    targets: [...BROKEN, LATE],
    budget: 500,
    seed: 2,
  });

  expect(counterexample).toBeUndefined();
});

test('a pause makes a holder late: found from every seed, and always minimised to two clients and one pause', async () => {
  const stories: TracedStory[] = [];
  for (let seed = 1; seed <= 10; seed++) {
    const { counterexample } = await search({
      subject,
      faults: ['pause'],
      targets: [LATE],
      budget: 1_000,
      seed,
    });
    if (counterexample !== undefined)
      stories.push(await minimiseToStory(counterexample.schedule, subject, LATE, { seed }));
  }

  expect(stories).toHaveLength(10);
  for (const { story } of stories) {
    expect(clientsOf(story.schedule), storyToString(story)).toHaveLength(2);
    expect(story.schedule.faults, storyToString(story)).toMatchObject([{ kind: 'pause' }]);
  }
});

test('core uses no ambient clock, timer or random source: it runs where all of them throw', async () => {
  const { counterexample } = await search({
    subject,
    faults: ['pause', 'holder-crash'],
    targets: BROKEN,
    budget: 300,
    seed: 3,
    guard: true,
  });

  expect(counterexample).toBeUndefined();
});
