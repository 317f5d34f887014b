import { afterAll, beforeAll, expect, test } from 'vitest';
import { redirect } from '../peers/ambient.ts';
import { tryAll, worthTelling } from '../peers/campaign.ts';
import { FOUND_FILE, type Found, readFound, TALES_FILE, type Tale } from '../peers/found.ts';
import { PAGE_FILE, peersPage } from '../peers/page.ts';
import {
  minimalStory,
  type Point,
  retell,
  runsToFind,
  storyFile,
  type ToldTale,
} from '../peers/tales.ts';

const SCHEDULES = 40;
const SEED = 1;
const SEEDS = [1, 2, 3, 4, 5];
/** For a kind of violation that the campaign came upon, from any seed. */
const BUDGET = 1_000;
const timeout = 7_200_000;

let restore = (): void => {};
beforeAll(() => {
  restore = redirect();
});
afterAll(() => restore());

let found: Found | undefined;

test('published libraries keep and break what is kept of them', { timeout }, async () => {
  const cells = await tryAll(SCHEDULES, SEED);

  found = { schedules: SCHEDULES, seed: SEED, cells };
  await expect(text(found)).toMatchFileSnapshot(FOUND_FILE);
});

test('what is told of them is found from every seed, and small', { timeout }, async () => {
  const tales: Tale[] = [];
  const told: ToldTale[] = [];
  for (const point of worthTelling((found ?? readFound()).cells)) {
    const tale = { ...point, runs: await runsOf(point) };
    const story = await minimalStory(point, BUDGET);
    await expect(text(story)).toMatchFileSnapshot(storyFile(point));
    tales.push(tale);
    told.push(await retell(tale, story));
  }

  await expect(text(tales)).toMatchFileSnapshot(TALES_FILE);
  // Kept files are written when all tests are over.
  await expect(await peersPage(found ?? readFound(), told)).toMatchFileSnapshot(PAGE_FILE);
});

async function runsOf(point: Point): Promise<Record<string, number>> {
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
