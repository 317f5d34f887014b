import { afterAll, beforeAll, expect, test } from 'vitest';
import { redirect } from '../peers/ambient.ts';
import { storiesToKeep, tryAftermaths, tryColumn } from '../peers/campaign.ts';
import { COLUMNS } from '../peers/columns.ts';
import {
  AFTERMATH,
  EXTENT,
  type Found,
  type FoundStory,
  foundFile,
  foundText,
  readFound,
  STORIES_FILE,
} from '../peers/found.ts';
import {
  minimalStory,
  type ReplayedStory,
  replayFound,
  runsToFind,
  type StoryKey,
  storyFile,
} from '../peers/found-stories.ts';
import { PAGE_FILE, peersPage } from '../peers/page.ts';

const SEEDS = [1, 2, 3, 4, 5];
/** For a kind of violation that the campaign came upon, from any seed. */
const BUDGET = 1_000;
const timeout = 7_200_000;

let restore = (): void => {};
beforeAll(() => {
  restore = redirect();
});
afterAll(() => restore());

const played = new Map<string, Found>();

test.each(COLUMNS)('$name keeps and breaks what is kept of it', { timeout }, async (column) => {
  const found: Found = {
    cells: await tryColumn(column, EXTENT),
    waited: await tryAftermaths(column, AFTERMATH),
  };

  played.set(column.name, found);
  await expect(foundText(found)).toMatchFileSnapshot(foundFile(column.name));
});

test('every reported finding is found from every seed, and small', { timeout }, async () => {
  const found = foundNow();
  const stories: FoundStory[] = [];
  const replayed: ReplayedStory[] = [];
  for (const point of storiesToKeep(found.cells)) {
    const kept = { ...point, runs: await runsOf(point) };
    const story = await minimalStory(point, BUDGET);
    await expect(text(story)).toMatchFileSnapshot(storyFile(point));
    stories.push(kept);
    replayed.push(await replayFound(kept, story));
  }

  await expect(text(stories)).toMatchFileSnapshot(STORIES_FILE);
  await expect(await peersPage(found, replayed)).toMatchFileSnapshot(PAGE_FILE);
});

/** Kept files are written when all tests are over. */
function foundNow(): Found {
  const kept = COLUMNS.filter(({ name }) => !played.has(name)).map(({ name }) => name);
  const parts = [...played.values(), readFound(kept)];
  return {
    cells: parts.flatMap(({ cells }) => cells),
    waited: parts.flatMap(({ waited }) => waited),
  };
}

async function runsOf(point: StoryKey): Promise<Record<string, number>> {
  const runs: Record<string, number> = {};
  for (const seed of SEEDS) {
    const n = await runsToFind(point, { seed, budget: BUDGET });
    if (n === undefined) throw new Error(`${point.column} withstands seed ${seed}`);
    runs[seed] = n;
  }
  return runs;
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
