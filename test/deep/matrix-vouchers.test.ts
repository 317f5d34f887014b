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

/** What contention convicts it convicts within the first few. */
const SCHEDULES = 512;
const TIMEOUT_MS = 300_000;

type Voucher = readonly [mutant: string, column: MatrixColumn, claimed: Claimed];

/** Every mutant that vouches for a lock under some fault, once. */
function vouchersOf({ rows, columns }: Matrix): readonly Voucher[] {
  const all: readonly Voucher[] = rows
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

describe.each(vouchersOf(matrix))('%s on %s', (mutant, column, claimed) => {
  const isKnown = Object.hasOwn(matrix.contention, mutant);
  const does = isKnown ? 'is said to be' : 'is not';

  test(`${does} convicted by contention alone, for ${claimed}`, {
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
