import { clientsOf, parseStoryText } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { EXTRA_STORIES, madeOf, storyOf } from './extra-stories.ts';
import { keep, keptNames, textOf } from './matrix-stories.ts';

/** As in `stories.test.ts`. */
const MAKING = process.env['STORIES'];

const wanted = EXTRA_STORIES.filter(
  ({ name }) => MAKING === 'anew' || (MAKING === 'make' && !keptNames().includes(name)),
);

test.each(wanted)('$name is written', { timeout: 600_000 }, async (request) => {
  keep(request.name, await madeOf(request));

  expect(keptNames()).toContain(request.name);
});

describe.each(EXTRA_STORIES.map((request) => [request.name, request] as const))(
  '%s',
  (name, request) => {
    test('replays as it was kept, and shows what a page says of it', async () => {
      const story = parseStoryText(textOf(name));

      const now = await storyOf(request, story.schedule);

      if (MAKING === 'accept') keep(name, now);
      expect(MAKING === 'accept' ? now : story).toEqual(now);
      expect(clientsOf(story.schedule).length).toBeLessThanOrEqual(3);
      expect(story.schedule.faults.length).toBeLessThanOrEqual(2);
    });
  },
);
