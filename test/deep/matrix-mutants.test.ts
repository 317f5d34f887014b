import { describe, expect, test } from 'vitest';
import {
  CLAIMED,
  type Claimed,
  cellIn,
  loadMatrix,
  type Matrix,
  type MatrixColumn,
  runCell,
} from '../../harness/test/kit/matrix.ts';
import { isDetected } from '../matrix/support/matrix-tests.ts';
import { mutantOf } from '../matrix/support/mutants.ts';

/** Contention detects a mutant within the first few, or not at all. */
const SCHEDULES = 512;
const TIMEOUT_MS = 300_000;

type PairedMutant = readonly [mutant: string, column: MatrixColumn, claimed: Claimed];

/** Every mutant that is paired with a cell of some fault, once. */
function pairedMutantsOf({ rows, columns }: Matrix): readonly PairedMutant[] {
  const all: readonly PairedMutant[] = rows
    .filter(({ fault }) => fault !== 'none')
    .flatMap((row) =>
      columns.flatMap((column) =>
        CLAIMED.flatMap((claimed) => {
          const { mutant } = cellIn(row, column).claims[claimed];
          return mutant === undefined ? [] : ([[mutant, column, claimed]] as const);
        }),
      ),
    );
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()];
}

const matrix = loadMatrix();
const [none] = matrix.rows;

describe.each(pairedMutantsOf(matrix))('%s on %s', (mutant, column, claimed) => {
  const isKnown = Object.hasOwn(matrix.contention, mutant);
  const does = isKnown ? 'is listed as' : 'is not';

  test(`${does} detected by contention alone, for ${claimed}`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    if (none?.fault !== 'none') throw new Error('the first row of the matrix is not that of none');
    const cell = cellIn(none, column);

    const trial = await runCell(await mutantOf(mutant, column), none, {
      seed: 1,
      budget: SCHEDULES,
      shouldStop: (sofar) => isDetected(sofar, cell, claimed),
    });

    expect(isDetected(trial, cell, claimed)).toBe(isKnown);
  });
});
