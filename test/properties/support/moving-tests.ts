import { describe, expect, test } from 'vitest';
import {
  cellIn,
  loadMatrix,
  type Row,
  rowName,
  TARGET_OF,
} from '../../../harness/test/kit/matrix.ts';
import { search } from '../../../harness/test/kit/search.ts';
import { type Mix, MOMENTS, mixedPhases, type Phase } from './mixed-phases.ts';

/**
 * Rows in which one Redis keeps mutual exclusion, and so does a swap between two. A store that loses its data loses its
 * flip: then tokens can go back, which the search finds.
 */
const ROWS = loadMatrix().rows.filter(isSurvived);

function isSurvived(row: Row): boolean {
  const { validity, resource } = cellIn(row, 'redis-simple').claims;
  return (
    validity.expect === 'holds' && resource.expect === 'holds' && row.fault !== 'restart-empty'
  );
}

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

const NEIGHBOURS: Readonly<Record<string, readonly Mix[]>> = {
  'old and moving': mixesOf('old', 'moving', 'never'),
  'moving, while it is flipped': MOMENTS.map((flipped) => ({ phases: ['moving'], flipped })),
  'moving and new': mixesOf('moving', 'new', 'before'),
};
const STRANGERS: Readonly<Record<string, readonly Mix[]>> = {
  'old and new': mixesOf('old', 'new', 'before'),
  'old and moving, after the flip': mixesOf('old', 'moving', 'before'),
};

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

/** Plays so many schedules of each row and each pair of phases. */
export function movingTests(schedules: number): void {
  describe.each(Object.entries(NEIGHBOURS))('clients of neighbouring phases, %s,', (_, mixes) => {
    test.each(ROWS.map((row) => [rowName(row), row] as const))(
      'are never two valid holders, and tokens never go back: %s',
      async (_name, row) => {
        expect(await found(mixes, row, Math.ceil(schedules / mixes.length))).toEqual([]);
      },
    );
  });

  test.each(Object.entries(STRANGERS))('%s are found broken, in each order', async (_, mixes) => {
    const [none] = ROWS;
    if (none === undefined) throw new Error('the matrix has no rows');

    expect(await found(mixes, none, 200)).toHaveLength(mixes.length);
  });

  test('a new store that loses its data loses its flip, and tokens can go back', async () => {
    const emptied = loadMatrix().rows.find((row) => rowName(row) === 'restart-empty, after a ttl');
    if (emptied === undefined) throw new Error('the matrix has no such row');

    expect(await found(NEIGHBOURS['moving and new'] ?? [], emptied, 100)).not.toEqual([]);
  });
}
