import { subjectOf } from '../../../harness/test/kit/locks.ts';
import {
  type CellResult,
  EMPTY_CELL_RESULT,
  fingerprintOfCell,
  type MatrixColumn,
  type Row,
  rowName,
} from '../../../harness/test/kit/matrix.ts';
import { keptCells } from '../../campaign/record.ts';
import { matrixTests } from '../../matrix/support/matrix-tests.ts';

/** A hundred thousand schedules a cell take hours on two cores; the variable shortens or lengthens that. */
const SCHEDULES = Number(process.env['HOLDFAST_SCHEDULES'] ?? 100_000);
/** Plays also what a campaign has played, see docs/evidence/campaign.md. */
const AGAIN = process.env['HOLDFAST_AGAIN'] === '1';

const KEPT = AGAIN ? [] : keptCells();

/** One column to a file, so that all cores have something to do. */
export function deepMatrixTests(column: MatrixColumn): void {
  matrixTests(column, {
    schedules: SCHEDULES,
    searched: SCHEDULES,
    seeds: 20,
    minimised: 20,
    timeoutMs: 7_200_000,
    kept,
  });
}

/** Returns the result of a campaign in a cell, if it played as many schedules and today's code plays the first ones alike. */
async function kept(row: Row, column: MatrixColumn): Promise<CellResult | undefined> {
  const name = rowName(row);
  const cell = KEPT.find((each) => each.column === column && rowName(each) === name);
  if (cell === undefined || cell.tally.schedules < SCHEDULES) return undefined;
  const today = await fingerprintOfCell(subjectOf(column), row, cell.seed);
  return today === cell.fingerprint ? { ...EMPTY_CELL_RESULT, tally: cell.tally } : undefined;
}
