import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/src/locks/index.ts';
import {
  cellIn,
  isTried,
  loadMatrix,
  type MatrixColumn,
  type Row,
  rowName,
  runCell,
} from '../../harness/src/matrix/index.ts';

/** What redis-getset tells is often untrue: it deletes without comparing. */
const BUDGETS: Readonly<Record<MatrixColumn, number>> = {
  memory: 100,
  'redis-simple': 100,
  redlock: 50,
  'redlock-3': 50,
  'redlock-pairs': 50,
  zk: 50,
};
const SEED = 17;
const TIMEOUT_MS = 300_000;

/** Where nobody can know what is true. */
const UNTRUE: Readonly<Record<string, string>> = {
  'torn-log, all servers': 'the ensemble has forgotten what it has answered',
};

const MATRIX = loadMatrix();

/** Where clocks err by more than the margin covers no lease can last as long as it says. */
function isTrue(row: Row): boolean {
  return row.setup.variation !== 'beyond' && !(rowName(row) in UNTRUE);
}

const CASES = Object.entries(BUDGETS).flatMap(([name, budget]) =>
  MATRIX.columns.filter((column) => column === name).map((column) => ({ column, budget })),
);

test.each(CASES)(
  '$column tells its clients nothing but the truth, whatever strikes',
  {
    timeout: TIMEOUT_MS,
  },
  async ({ column, budget }) => {
    const untrue: string[] = [];
    for (const row of MATRIX.rows) {
      if (!isTried(cellIn(row, column)) || !isTrue(row)) continue;
      const { findings } = await runCell(subjectOf(column), row, { seed: SEED, budget });
      const finding = findings.get('answers');
      if (finding !== undefined) untrue.push(`${rowName(row)}: ${finding.violation.message}`);
    }

    expect(untrue).toEqual([]);
  },
);
