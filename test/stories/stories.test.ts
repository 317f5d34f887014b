import {
  clientsOf,
  parseStoryText,
  storyFromString,
  storyToString,
} from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { builtInSubject, subjectOf } from '../../harness/test/kit/locks.ts';
import { replayTraced } from '../../harness/test/kit/search.ts';
import { EXTRA_STORIES } from './extra-stories.ts';
import { keep, keptNames, made, namedStories, textOf } from './matrix-stories.ts';

/**
 * `STORIES=make` writes those that are missing, `STORIES=anew` all of them again; `STORIES=accept` takes over what the
 * kept ones come to now, after a change that is meant to alter what happens. `npm run fix` then puts them in shape.
 */
const MAKING = process.env['STORIES'];

const wanted = namedStories().filter(
  ({ name }) => MAKING === 'anew' || (MAKING === 'make' && !keptNames().includes(name)),
);

test.each(wanted)('$name is written', { timeout: 600_000 }, async (wish) => {
  keep(wish.name, await made(wish));

  expect(keptNames()).toContain(wish.name);
});

/** Other stories on pages are tested by `extra-stories.test.ts`. */
const ofMatrix = keptNames().filter((kept) => !EXTRA_STORIES.some(({ name }) => name === kept));

test('every story that the matrix names is kept, and no other', () => {
  expect([...ofMatrix].toSorted()).toEqual(
    namedStories()
      .map(({ name }) => name)
      .toSorted(),
  );
});

describe.each(ofMatrix)('%s', (name) => {
  const story = parseStoryText(textOf(name));

  test('replays as it was kept: with an equal verdict, and an equal trace to the last message', async () => {
    const subject = builtInSubject(story.backend);
    if (subject === undefined) throw new Error(`unknown lock "${story.backend}"`);

    const replayed = await replayTraced(story.schedule, subject, story);

    if (MAKING === 'accept') keep(name, replayed.story);
    expect(replayed.story).toEqual(MAKING === 'accept' ? replayed.story : story);
  });

  test('is short enough to be read: at most three clients and two faults', () => {
    expect(clientsOf(story.schedule).length).toBeLessThanOrEqual(3);
    expect(story.schedule.faults.length).toBeLessThanOrEqual(2);
  });

  test('survives its string', () => {
    expect(storyFromString(storyToString(story))).toEqual(story);
  });
});

test('a story is one of the lock and the fault that the matrix says', () => {
  for (const { name, row, column } of namedStories().filter((wish) =>
    keptNames().includes(wish.name),
  )) {
    const { backend, fault } = parseStoryText(textOf(name));
    expect({ name, backend, fault }).toEqual({
      name,
      backend: subjectOf(column).name,
      fault: row.fault,
    });
  }
});
