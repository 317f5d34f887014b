import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { redirect } from './ambient.ts';
import { type Extent, setupsFor, tryFault } from './bench.ts';
import { cellAt, columnNamed } from './campaign.ts';
import { COLUMNS, PEERS } from './columns.ts';
import { cellOf, EXTENT, readFound, readStories } from './found.ts';
import { keptStory, replayFound, runsToFind } from './found-stories.ts';
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

const tales = readStories();

test.each(PEERS)('where nothing goes wrong, $name excludes', async (column) => {
  const { tally, firsts } = await tryFault(column, 'none', part(UNDISTURBED, 2));

  expect([...firsts.keys()]).toEqual([]);
  // Somebody waits while another holds, in most of them.
  expect(tally.effective).toBeGreaterThan(UNDISTURBED / 2);
  expect(tally.accepted).toBeGreaterThan(tally.ops / 2);
});

describe.each(tales)('$column under $fault ($kind)', (tale) => {
  test('the kept story shows it, and ours withstands it', async () => {
    const { story, ours } = await replayFound(tale);

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
  const told = [];
  for (const tale of tales) told.push(await replayFound(tale));

  await expect(await peersPage(readFound(NAMES), told)).toMatchFileSnapshot(PAGE_FILE);
});

test('every library has a story', () => {
  const told = new Set(tales.map(({ column }) => columnNamed(column)));

  expect(PEERS.filter((peer) => !told.has(peer))).toEqual([]);
});
