import { describe, expect, test } from 'vitest';
import {
  expectedOfPhases,
  loadMatrix,
  movingRows,
  type Row,
  rowName,
  TARGET_OF,
} from '../../../harness/test/kit/matrix.ts';
import { search } from '../../../harness/test/kit/search.ts';
import { type Mix, MOMENTS, mixedPhases, type Phase } from './mixed-phases.ts';

const MATRIX = loadMatrix();
const ROWS = movingRows(MATRIX);

const TARGETS = [TARGET_OF.validity, TARGET_OF.resource];

/** Three clients in two phases, in each order. */
function mixesOf(one: Phase, other: Phase, flipped: Mix['flipped']): readonly Mix[] {
  return [
    [one, one, other],
    [one, other, one],
    [other, one, one],
    [other, other, one],
    [other, one, other],
    [one, other, other],
  ].map((phases) => ({ phases, flipped }));
}

/** The clients of each column of the matrix. */
const MIXES: Readonly<Record<string, readonly Mix[]>> = {
  'old and moving': mixesOf('old', 'moving', 'never'),
  'moving, while it is flipped': MOMENTS.map((flipped) => ({ phases: ['moving'], flipped })),
  'moving and new': mixesOf('moving', 'new', 'before'),
  'old and new': mixesOf('old', 'new', 'before'),
  'old and moving, after the flip': mixesOf('old', 'moving', 'before'),
};

interface Cell {
  readonly phases: string;
  readonly row: Row;
  readonly mixes: readonly Mix[];
}

function cellsThat(expected: 'holds' | 'breaks'): readonly (readonly [string, Cell])[] {
  return Object.entries(MATRIX.moving.phases).flatMap(([phases, claim]) =>
    ROWS.filter((row) => expectedOfPhases(claim, row) === expected).map(
      (row) => [`${phases}: ${rowName(row)}`, { phases, row, mixes: MIXES[phases] ?? [] }] as const,
    ),
  );
}

async function found(mixes: readonly Mix[], row: Row, budget: number): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [i, mix] of mixes.entries()) {
    const subject = mixedPhases(mix);
    const { counterexample, tally } = await search({
      subject,
      faults: [row.fault],
      setup: row.setup,
      seed: i + 1,
      budget,
      targets: TARGETS,
    });
    expect(tally.accepted, 'it proved nothing').toBeGreaterThan(0);
    if (counterexample !== undefined)
      broken.push(
        `${subject.name}, seed ${i + 1}, schedule ${counterexample.n}: ${counterexample.violation.message}`,
      );
  }
  return broken;
}

/** The number of schedules within which phases that break have to be found broken. */
const BREAKS_WITHIN = 100;

/** Plays the cells of the matrix in which phases are mixed: so many schedules of each that holds. */
export function movingTests(schedules: number): void {
  test('the matrix has the phases that are mixed here, and no others', () => {
    expect(Object.keys(MATRIX.moving.phases)).toEqual(Object.keys(MIXES));
  });

  describe('clients are never two valid holders, and tokens never go back', () => {
    test.each(cellsThat('holds'))('%s', async (_, { row, mixes }) => {
      expect(await found(mixes, row, Math.ceil(schedules / mixes.length))).toEqual([]);
    });
  });

  describe('clients are found broken, as the matrix says', () => {
    test.each(cellsThat('breaks'))('%s', async (_, { row, mixes }) => {
      // In every order; under a fault the first that shows it is enough.
      const played = row.fault === 'none' ? mixes : mixes.slice(0, 1);

      expect(await found(played, row, BREAKS_WITHIN)).toHaveLength(played.length);
    });
  });
}
