import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redirect } from './ambient.ts';
import { type Extent, setupsFor, tryFault } from './bench.ts';
import { cellAt, columnNamed } from './campaign.ts';
import { COLUMNS, PEERS } from './columns.ts';
import { cellOf, EXTENT, readFound, readStories } from './found.ts';
import { keptStory, replayFound, runsToFind } from './found-stories.ts';
import { RECORDED, readRecords } from './laboratory.ts';
import { PAGE_FILE, peersPage } from './page.ts';

/** A few: each is played on real client libraries, and takes 5 to 60 ms. */
const UNDISTURBED = 6;
/** Stories that are found again here, because it takes no longer. */
const SOON = 30;
const SEED = 1;
/** Of what is kept of a cell. */
const PART = 20;
const NAMES = COLUMNS.map(({ name }) => name);

function part(schedules: number, seed: number): Extent {
  return { few: schedules, many: schedules, seed };
}

let restore = (): void => {};
beforeAll(() => {
  restore = redirect();
});
afterAll(() => restore());

const stories = readStories();

test.each(PEERS)('where nothing goes wrong, $name excludes', async (column) => {
  const { tally, firsts } = await tryFault(column, 'none', part(UNDISTURBED, 2));

  expect([...firsts.keys()]).toEqual([]);
  // Somebody waits while another holds, in most of them.
  expect(tally.effective).toBeGreaterThan(UNDISTURBED / 2);
  expect(tally.accepted).toBeGreaterThan(tally.ops / 2);
});

describe.each(stories)('$column under $fault ($kind)', (found) => {
  test('the kept story shows it, and ours withstands it', async () => {
    const { story, ours } = await replayFound(found);

    expect(story).toEqual(keptStory(found));
    expect(ours.story.expect.kind).toBe('ok');
  });

  test.skipIf((found.runs[SEED] ?? SOON) >= SOON)(
    'search finds it again, after as many schedules',
    async () => {
      const runs = found.runs[SEED] ?? 0;

      expect(await runsToFind(found, { seed: SEED, budget: runs })).toBe(runs);
    },
  );
});

/** Such as take little time; what is found under `client-clock` is found only where a lease is outlasted. */
test.each([
  ['Verrou', 'pause'],
  ['Verrou', 'client-clock'],
  ['Verrou', 'restart-empty'],
  ['simple-redis-mutex', 'lost-reply'],
  ['redlock 5, acquire', 'client-clock'],
] as const)('a part of %s under %s does not contradict what is kept of it', async (name, fault) => {
  const { violated } = cellAt(readFound([name]).cells, fault, name);

  const tried = await tryFault(columnNamed(name), fault, part(PART, EXTENT.seed));

  const soon = Object.entries(violated).filter(([, { first }]) => first <= PART);
  const firsts = (cells: typeof soon) =>
    cells.map(([kind, { first, message }]) => [kind, first, message]);
  expect(firsts(Object.entries(cellOf(fault, name, tried).violated))).toEqual(firsts(soon));
});

test.each(['Verrou', 'redlock 5, acquire'])(
  'a lease of %s that a clock makes too long is seen only by who outlasts it',
  async (name) => {
    const column = columnNamed(name);
    const [longer, plain, ...more] = setupsFor(column, 'client-clock');

    expect(more).toEqual([]);
    expect(plain).toMatchObject({ setup: column.setups[0], outlasts: false });
    expect(longer?.setup.fixedShare).toBeGreaterThan(1);
    expect(cellAt(readFound([name]).cells, 'client-clock', name).violated).toHaveProperty(
      'validity',
    );
  },
);

test('the page of peers is what was found', async () => {
  const replayed = [];
  for (const found of stories) replayed.push(await replayFound(found));

  await expect(await peersPage(readFound(NAMES), replayed)).toMatchFileSnapshot(PAGE_FILE);
});

test('every library on the bench of the lab has a record, in which it excludes without faults', () => {
  const records = readRecords();

  expect(records.map(({ name }) => name)).toEqual(RECORDED);
  for (const { name, outcomes } of records) expect(outcomes.holds, name).toContain('none');
});

test('every library has a story', () => {
  const columns = new Set(stories.map(({ column }) => columnNamed(column)));

  expect(PEERS.filter((peer) => !columns.has(peer))).toEqual([]);
});
