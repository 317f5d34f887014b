import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redirect } from '../peers/ambient.ts';
import { tryFault } from '../peers/bench.ts';
import { cellAt, columnNamed } from '../peers/campaign.ts';
import { PEERS } from '../peers/columns.ts';
import { cellOf, readFound, readTales } from '../peers/found.ts';
import { PAGE_FILE, peersPage } from '../peers/page.ts';
import { keptStory, retell, runsToFind } from '../peers/tales.ts';

/** A few: each is played on real client libraries, and takes 5 to 60 ms. */
const UNDISTURBED = 6;
/** Stories that are found again here, because it takes no longer. */
const SOON = 30;
const SEED = 1;

let restore = (): void => {};
beforeAll(() => {
  restore = redirect();
});
afterAll(() => restore());

const tales = readTales();

test.each(PEERS)('where nothing goes wrong, $name excludes', async (column) => {
  const { tally, firsts } = await tryFault(column, 'none', { schedules: UNDISTURBED, seed: 2 });

  expect([...firsts.keys()]).toEqual([]);
  // Somebody waits while another holds, in most of them.
  expect(tally.effective).toBeGreaterThan(UNDISTURBED / 2);
  expect(tally.accepted).toBeGreaterThan(tally.ops / 2);
});

describe.each(tales)('$column under $fault ($kind)', (tale) => {
  test('the kept story shows it, and ours withstands it', async () => {
    const { story, ours } = await retell(tale);

    expect(story).toEqual(keptStory(tale));
    expect(ours.story.expect.kind).toBe('ok');
  });

  test.skipIf((tale.runs[SEED] ?? SOON) >= SOON)(
    'search finds it again, after as many schedules',
    async () => {
      const runs = tale.runs[SEED] ?? 0;

      expect(await runsToFind(tale, { seed: SEED, budget: runs })).toBe(runs);
    },
  );
});

/** Such as take little time. */
test.each([
  ['Verrou', 'pause'],
  ['Verrou', 'restart-empty'],
  ['simple-redis-mutex', 'lost-reply'],
] as const)('%s under %s does what is kept of it', async (name, fault) => {
  const { cells, schedules, seed } = readFound();

  const tried = await tryFault(columnNamed(name), fault, { schedules, seed });

  expect(cellOf(fault, name, tried)).toEqual(cellAt(cells, fault, name));
});

test('the page of peers is what was found', async () => {
  const told = [];
  for (const tale of tales) told.push(await retell(tale));

  await expect(await peersPage(readFound(), told)).toMatchFileSnapshot(PAGE_FILE);
});

test('every library has a story', () => {
  const told = new Set(tales.map(({ column }) => columnNamed(column)));

  expect(PEERS.filter((peer) => !told.has(peer))).toEqual([]);
});
