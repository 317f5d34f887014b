import type { LabCell, LabReport } from '@holdfast/harness/lab';
import { describe, expect, test } from 'vitest';
import { crossCheck, isKnownToDiffer, labExpectation } from '../src/both/cross-check.ts';
import { storyForCell } from '../src/both/story-for-cell.ts';
import type { Cell, Evidence, Report } from '../src/compare/report.ts';
import { readStory } from '../src/find/read-story.ts';
import { CLAIMED, type Difference, labCellName, loadMatrix } from '../src/matrix/index.ts';

const LEVEL = { fault: 'failover', variant: 'clocks level' } as const;

interface Found {
  readonly validity: number;
  readonly belief: number;
  readonly resource: number | null;
}

function evidence({ validity, belief, resource }: Found): Evidence {
  return {
    trials: 64,
    effective: 64,
    asked: 100,
    sent: 100,
    validityViolated: validity,
    beliefViolated: belief,
    unfencedViolated: belief,
    fencedViolated: resource,
    stuck: 0,
    unfenced: null,
    fenced: null,
  };
}

/** Of failover on redis-simple; `null`: it cannot matter there. */
function simulator(found: Found | null): Report {
  const cell: Cell = {
    ...LEVEL,
    column: 'redis-simple',
    how: 'simulated',
    outcome: found === null ? 'inert' : 'breaks',
    fenced: 'holds',
    expected: null,
    unexpected: false,
    evidence: found === null ? null : evidence(found),
  };
  return {
    format: 'holdfast-compare',
    version: 2,
    holdfast: '0.1.0',
    startedAt: '2026-11-22T00:00:00.000Z',
    tookMs: 1,
    verdict: 'as-expected',
    runs: [
      {
        servers: 'embedded',
        how: 'simulated',
        by: 'the simulator',
        settings: {},
        rows: [LEVEL],
        columns: [],
        safety: [cell],
        cost: [],
        tookMs: 1,
      },
    ],
  };
}

function trials(hits: number): object {
  return { hits, of: 3, interval: { low: 0, high: 1 } };
}

function laboratory(
  shown: Found,
  {
    column = 'redis-simple',
    outcome = 'breaks',
  }: Partial<Pick<LabCell, 'column' | 'outcome'>> = {},
): readonly LabCell[] {
  const figures = {
    validity: trials(shown.validity),
    belief: trials(shown.belief),
    fenced: shown.resource === null ? null : trials(shown.resource),
  } as NonNullable<LabReport['cells'][number]['figures']>;
  const cell = { ...LEVEL, column, outcome, fenced: 'holds', expected: null } as const;
  return [{ ...cell, unexpected: false, figures }];
}

const FOUND = { validity: 9, belief: 9, resource: 0 };
const NONE = { validity: 0, belief: 0, resource: 0 };
const STATED: Difference = {
  cells: [{ ...LEVEL, column: 'redis-simple' }],
  claims: ['validity', 'belief'],
  onlySeenBy: 'simulator',
  why: 'The replica is quick.',
  replay: 'simple-failover',
};

describe('the simulator and the laboratory', () => {
  test('agree where both see it, or neither, however often', () => {
    const both = crossCheck(simulator(FOUND), laboratory({ ...FOUND, validity: 1, belief: 3 }), []);

    expect(both.verdict).toBe('same');
    expect(both.cells).toMatchObject([{ ...LEVEL, column: 'redis-simple' }]);
    expect(both.cells[0]?.claims).toEqual([
      agreed('validity', { hits: 9, of: 64 }, { hits: 1, of: 3 }),
      agreed('belief', { hits: 9, of: 64 }, { hits: 3, of: 3 }),
      agreed('resource', { hits: 0, of: 64 }, { hits: 0, of: 3 }),
    ]);
  });

  test('differ where only one sees it, which is a failure until the matrix says why', () => {
    const unsaid = crossCheck(simulator(FOUND), laboratory(NONE), []);
    const said = crossCheck(simulator(FOUND), laboratory(NONE), [STATED]);

    expect(unsaid.verdict).toBe('unexplained');
    expect(unsaid.cells[0]?.claims.map(({ onlySeenBy }) => onlySeenBy)).toEqual([
      'simulator',
      'simulator',
      null,
    ]);
    expect(said.verdict).toBe('explained');
    expect(said.known).toEqual([
      {
        cells: ['failover, clocks level on redis-simple'],
        onlySeenBy: 'simulator',
        why: 'The replica is quick.',
        replay: 'simple-failover',
        occurred: true,
      },
    ]);
  });

  test('differ the other way round, too, and one reason is not good for the other way', () => {
    const both = crossCheck(simulator(NONE), laboratory(FOUND), [STATED]);

    expect(both.verdict).toBe('unexplained');
    expect(both.known).toMatchObject([{ occurred: false }]);
  });

  test('differ where a fault does something that it is said to be unable to', () => {
    expect(crossCheck(simulator(null), laboratory(FOUND), []).verdict).toBe('unexplained');
    expect(crossCheck(simulator(null), laboratory(NONE), []).verdict).toBe('same');
  });

  test('need not differ where they are known to: the report says so, and does not fail', () => {
    const both = crossCheck(simulator(FOUND), laboratory(FOUND), [STATED]);

    expect(both.verdict).toBe('same');
    expect(both.known).toMatchObject([{ occurred: false }]);
  });

  test('are compared on the same lock, whatever servers it is on, but for reasons by the servers', () => {
    const sentinel = { column: 'redis-simple/sentinel' };
    const both = crossCheck(simulator(FOUND), laboratory(NONE, sentinel), [STATED]);

    expect(both.cells).toMatchObject([sentinel]);
    expect(both.verdict).toBe('unexplained');
    expect(both.known).toEqual([]);
  });

  test('have nothing to agree on where there are no tokens, no leases, or nothing was shown', () => {
    const untold = laboratory(NONE, { outcome: 'nothing' });
    const unlocked = laboratory(FOUND, { column: 'no-lock' });
    const other = laboratory(FOUND, { column: 'zk' });
    const untokened = laboratory({ ...FOUND, resource: null });

    for (const cells of [untold, unlocked, other])
      expect(crossCheck(simulator(FOUND), cells, [])).toMatchObject({ cells: [], verdict: 'same' });
    expect(crossCheck(simulator(FOUND), untokened, []).cells[0]?.claims).toHaveLength(2);
  });
});

function agreed(claim: string, simulated: object, real: object): object {
  return { claim, simulator: simulated, laboratory: real, onlySeenBy: null, isKnown: false };
}

describe('what the matrix says of differences', () => {
  const { differences } = loadMatrix();

  test('is little: more than five reasons would say that one of the two is not to be trusted', () => {
    expect(differences.length).toBeLessThanOrEqual(5);
  });

  test.each(differences)('is shown by a story that can be replayed: $replay', (difference) => {
    const { story } = readStory(difference.replay);
    const places = difference.cells.map(({ fault }) => fault);

    expect(story.expect.kind).not.toBe('ok');
    expect(story.schedule.faults.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining([...new Set(places)]),
    );
    expect(CLAIMED.some((claimed) => difference.claims.includes(claimed))).toBe(true);
  });

  test('is not expected of the laboratory either way', () => {
    for (const place of differences.flatMap(({ cells }) => cells))
      expect(isKnownToDiffer(place), labCellName(place)).toBe(true);
    const place = { fault: 'failover', variant: 'clocks level', column: 'redis-simple' };
    expect(isKnownToDiffer(place)).toBe(false);
  });
});

test.each([
  ['failover, clocks level', 'redis-simple', { outcome: 'breaks', fenced: 'holds' }],
  ['pause', 'zk', { outcome: 'late', fenced: 'holds' }],
  // Nothing there looks at a server's clock: tried all the same, by who has tokens and who has none.
  ['server-clock-forward', 'zk', { outcome: 'holds', fenced: 'holds' }],
  ['server-clock-forward', 'redis-getset', { outcome: 'holds', fenced: 'n/a' }],
  ['failover, clocks level', 'redis-simple/sentinel', undefined],
] as const)('under %s the laboratory expects of %s what the matrix states', (...asked) => {
  const [row, column, stated] = asked;
  const [fault = '', variant] = row.split(', ');

  expect(labExpectation({ fault, variant, column })).toEqual(stated);
});

describe('a cell of the laboratory leads to', () => {
  test('the smallest story by which its lock breaks', async () => {
    const story = await storyForCell({ ...LEVEL, column: 'redis-simple/sentinel' });

    expect(story).toMatchObject({ name: 'simple-failover', ofAnother: false });
    expect(story?.drawing).toContain('two valid holders');
  });

  test('what it makes of the story of another, where it does not break', async () => {
    const story = await storyForCell({ ...LEVEL, column: 'zk' });

    expect(story).toMatchObject({ name: 'simple-failover', ofAnother: true });
    expect(story?.drawing).not.toContain('two valid holders');
  });

  test('none where the fault breaks no lock', async () => {
    expect(await storyForCell({ fault: 'none', column: 'zk' })).toBeUndefined();
    expect(await storyForCell({ ...LEVEL, column: 'no-lock' })).toBeUndefined();
  });
});
