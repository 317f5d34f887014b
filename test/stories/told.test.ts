import { clientsOf, parseStoryText } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { keep, keptNames, textOf } from './support.ts';
import { madeOf, storyOf, TALES } from './told.ts';

/** As in `stories.test.ts`. */
const MAKING = process.env['STORIES'];

const wanted = TALES.filter(
  ({ name }) => MAKING === 'anew' || (MAKING === 'make' && !keptNames().includes(name)),
);

test.each(wanted)('$name is written', { timeout: 600_000 }, async (tale) => {
  keep(tale.name, await madeOf(tale));

  expect(keptNames()).toContain(tale.name);
});

describe.each(TALES.map((tale) => [tale.name, tale] as const))('%s', (name, tale) => {
  test('plays as it was kept, and shows what a page tells of it', async () => {
    const story = parseStoryText(textOf(name));

    const now = await storyOf(tale, story.schedule);

    if (MAKING === 'accept') keep(name, now);
    expect(MAKING === 'accept' ? now : story).toEqual(now);
    expect(clientsOf(story.schedule).length).toBeLessThanOrEqual(3);
    expect(story.schedule.faults.length).toBeLessThanOrEqual(2);
  });
});
