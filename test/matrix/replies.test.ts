import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import {
  CLAIMED,
  cellIn,
  isTried,
  loadMatrix,
  type MatrixColumn,
  type Row,
  rowName,
  runCell,
} from '../../harness/test/kit/matrix.ts';
import { runs } from '../support/runs.ts';
import { isTrue, TRUTHFUL } from './support/true-replies.ts';

const BUDGET = runs(50);
const SEED = 17;
const TIMEOUT_MS = 300_000;

const MATRIX = loadMatrix();

/** Rows in which something holds are judged for this by the matrix tests. */
function isJudgedHere(row: Row, column: MatrixColumn): boolean {
  const cell = cellIn(row, column);
  const holds = CLAIMED.some((claimed) => cell.claims[claimed].expect === 'holds');
  return isTried(cell) && isTrue(row) && !holds;
}

test.each(TRUTHFUL)(
  'replies of %s to its clients are true, even in rows where everything else breaks',
  {
    timeout: TIMEOUT_MS,
  },
  async (column) => {
    const untrue: string[] = [];
    for (const row of MATRIX.rows) {
      if (!isJudgedHere(row, column)) continue;
      const { findings } = await runCell(subjectOf(column), row, { seed: SEED, budget: BUDGET });
      const finding = findings.get('answers');
      if (finding !== undefined) untrue.push(`${rowName(row)}: ${finding.violation.message}`);
    }

    expect(untrue).toEqual([]);
  },
);
