import { clientsOf, storyToString } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../../harness/src/locks/index.ts';
import {
  minimiseToStory,
  search,
  TARGET_PROPERTIES,
  type TargetProperty,
  type TracedStory,
} from '../../../../harness/src/search/index.ts';

const subject = subjectOf('memory');
const SCHEDULES = 5_000;
/** Share of the schedules in which a fault has to matter, lest the property prove nothing. */
const EFFECTIVE_MIN = 0.2;
const LATE: TargetProperty = { property: 'belief', fenced: false };
/** Whatever is the fault of the lock: a late holder is not, nor what comes of it where tokens are not compared. */
const BROKEN = TARGET_PROPERTIES.filter(
  ({ property, fenced }) => property !== 'belief' && (property !== 'resource' || fenced),
);

test(`no two leases are valid at once, no late write passes the fence and nothing leaks, in ${SCHEDULES} schedules`, {
  timeout: 180_000,
}, async () => {
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

test('without a fault nobody is ever late', async () => {
  const { counterexample } = await search({
    subject,
    faults: ['none'],
    targets: [...BROKEN, LATE],
    budget: 2_000,
    seed: 2,
  });

  expect(counterexample).toBeUndefined();
});

test('a pause makes a holder late: found from every seed, and always made two clients and one pause of', async () => {
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

test('core touches no clock, timer or chance of its own: it runs where all of them throw', async () => {
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
