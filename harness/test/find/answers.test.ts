import { readdirSync, readFileSync } from 'node:fs';
import { parseStory, parseStoryText, play, type Story } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { drawMultiples, headlineOf, type Scene } from '../../src/draw/index.ts';
import { adaptSchedule } from '../../src/find/adapt-schedule.ts';
import { compareLocks, formatLockComparison } from '../../src/find/lock-comparison.ts';
import { subjectOf } from '../../src/locks/index.ts';
import { cellIn, loadMatrix } from '../../src/matrix/index.ts';

const FOLDER = new URL('../../stories/', import.meta.url);
const ink = { bold: String, dim: String, colour: (_: string, text: string) => text };

function storyNamed(name: string): Story {
  return parseStoryText(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));
}

const comparisons = new Map<string, ReturnType<typeof compareLocks>>();

/** Played once, however many tests ask. */
function answersNamed(name: string): ReturnType<typeof compareLocks> {
  const known = comparisons.get(name) ?? compareLocks(storyNamed(name));
  comparisons.set(name, known);
  return known;
}

async function glyphs(name: string): Promise<readonly string[]> {
  return (await answersNamed(name)).scenes.map(
    (scene) => `${scene.title}: ${headlineOf(scene).outcome}`,
  );
}

/** What the matrix says goes wrong with a lock under the fault of a story. */
function knownOf({ title }: Scene, { fault, schedule }: Story): readonly string[] {
  const [lock = '', fenced] = title.split(', ');
  const name = lock === 'redlock' && schedule.replicas > 0 ? 'redlock-pairs' : lock;
  const column = loadMatrix().columns.find((each) => each === name);
  if (column === undefined) return [];
  const claimed =
    fenced === undefined ? (['validity', 'belief'] as const) : (['resource'] as const);
  const rows = loadMatrix().rows.filter((row) => row.fault === fault);
  return claimed.filter((each) =>
    rows.some((row) => cellIn(row, column).claims[each].expect === 'breaks'),
  );
}

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length))
  .filter((name) => storyNamed(name).schedule.choices === undefined);

describe.each(names)('the answers to %s', (name) => {
  test('have a lane for each actor that a fault affected, even without a message', async () => {
    const { scenes } = await answersNamed(name);

    for (const { title, actors, faults } of scenes) {
      const lanes = new Set(actors.map(({ id }) => id));
      const affected = faults.flatMap((fault) => fault.actors);
      expect(
        affected.filter((id) => !lanes.has(id)),
        title,
      ).toEqual([]);
    }
  });

  test('say of no lock that it holds if no fault affected it or the matrix expects it to fail, without a remark', async () => {
    const story = storyNamed(name);
    const { scenes } = await answersNamed(name);

    const held = scenes.filter((scene) => headlineOf(scene).outcome === 'holds');
    const untried = held.filter(({ faults }) => faults.length < story.schedule.faults.length);
    const silent = scenes.filter(
      (scene) =>
        ['holds', 'nothing'].includes(headlineOf(scene).outcome) &&
        knownOf(scene, story).length > 0 !== (scene.remark !== undefined),
    );

    expect(untried.map(({ title }) => title)).toEqual([]);
    expect(silent.map(({ title }) => title)).toEqual([]);
  });

  test('begin with what became of the lock that it is a story of', async () => {
    const story = storyNamed(name);
    const { scenes } = await answersNamed(name);

    const own = scenes.find(({ title }) => title.split(', ')[0] === story.backend);

    // A few are kept to show how a lock comes through.
    const bad = own !== undefined && ['breaks', 'late'].includes(headlineOf(own).outcome);
    expect(own).toBeDefined();
    expect(bad || story.expect.kind === 'ok').toBe(true);
  });
});

test('a fault of five servers affects the one server, or the three, of another lock', async () => {
  const { scenes } = await answersNamed('redlock-restart-empty');

  const affected = scenes.map(({ title, faults }) => [title, faults[0]?.actors.join(' ')] as const);
  expect(Object.fromEntries(affected)).toMatchObject({
    'redis-simple': 'n1',
    'redis-getset': 'n1',
    redlock: 'n2 n3 n5',
    zk: 'n2 n3',
  });
});

test('a fault that waits for a step which a lock never takes is injected when the others take theirs', async () => {
  expect(await glyphs('redlock-restart-empty')).toEqual(
    expect.arrayContaining([
      'redis-simple: holds',
      'redis-getset: breaks',
      'redlock: breaks',
      'zk: holds',
    ]),
  );
});

test('a fault on a message that a lock never sends proves nothing there, and says so', async () => {
  const answers = await answersNamed('getset-overtaken-del');
  const lines = formatLockComparison(answers, ink);

  expect(lines).toContain('? zk            PROVED NOTHING: the fault takes no effect');
  expect(drawMultiples(answers.title, answers.scenes)).toContain(
    '? PROVED NOTHING: the fault takes no effect',
  );
});

test('a lock that comes through one schedule is said to break under others, by the story that shows it', async () => {
  const answers = await answersNamed('simple-pause');
  const [title, , ...lines] = formatLockComparison(answers, ink);

  expect(title).toMatch(/^One fault, \w+ answers, in this schedule: pause$/);
  expect(lines.join('\n')).toMatch(
    /✓ redis-getset .*\n.*\n +✗ broken in other schedules under pause: npx holdfast replay getset-pause\n/,
  );
  expect(lines.join('\n')).toMatch(
    /✓ zk .*\n.*\n +◐ a late holder in other schedules under pause: npx holdfast replay zk-pause/,
  );
  expect(drawMultiples(answers.title, answers.scenes)).toContain('npx holdfast replay zk-pause');
});

test('a lock that is none of the usual ones answers first', async () => {
  const { title, scenes } = await answersNamed('redlock-3-restart-empty');

  const usual = await answersNamed('redlock-restart-empty');
  expect(title).not.toBe(usual.title);
  expect(scenes).toHaveLength(usual.scenes.length + 1);
  expect(scenes[0]?.title).toBe('redlock-3');
});

test('a user’s lock is compared by what was played of it', async () => {
  const story = { ...storyNamed('simple-pause'), backend: './my-lock.js' };
  const own = await play(
    story.schedule,
    { ...subjectOf('redis-simple'), name: './my-lock.js' },
    { trace: true },
  );

  const { scenes } = await compareLocks(story, own);

  expect(scenes[0]?.title).toBe('./my-lock.js');
  const usual = await answersNamed('simple-pause');
  expect(scenes).toHaveLength(usual.scenes.length + 1);
});

describe('a schedule for another lock', () => {
  const [redlock, zk] = [subjectOf('redlock'), subjectOf('zk')];
  const simple = subjectOf('redis-simple');

  test.for<[string, number, number]>([
    ['one of five is one of three', 0b10000, 0b10],
    ['two of five, fewer than half, are one of three', 0b11000, 0b1],
    ['three of five, a majority, are one too', 0b10110, 0b110],
    ['all of five are all of three', 0b11111, 0b111],
  ])('%s', ([, mask, expected]) => {
    const schedule = affecting(mask, { atMs: 5 });

    expect(adaptSchedule(schedule, { from: redlock, to: zk }).faults).toMatchObject([
      { nodes: expected },
    ]);
  });

  test('a step of the fifth server is one of a server that is there', () => {
    const schedule = affecting(1, { after: 'renew', n: 2, by: 'n5' });

    expect(adaptSchedule(schedule, { from: redlock, to: simple }).faults).toMatchObject([
      { when: { after: 'renew', n: 2, by: 'n1' } },
    ]);
  });

  test('the fifth call of a client of five servers is the first of a client of one', () => {
    const schedule = affecting(1, { after: 'acquire', n: 5, by: 'a' });

    expect(adaptSchedule(schedule, { from: redlock, to: simple }).faults).toMatchObject([
      { when: { after: 'acquire', n: 1, by: 'a' } },
    ]);
    expect(adaptSchedule(schedule, { from: redlock, to: redlock })).toEqual(schedule);
  });
});

/** A schedule of five servers. */
function affecting(nodes: number, when: object): Story['schedule'] {
  const story = storyNamed('redlock-restart-empty');
  const faults = [{ kind: 'restart-empty', nodes, when, ms: 0 }];
  return parseStory({ ...story, schedule: { ...story.schedule, faults } }).schedule;
}
