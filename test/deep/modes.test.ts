import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { loadMatrix, rowName, rowsOf } from '../../harness/test/kit/matrix.ts';
import { carries, FENCED, searchModes, VALIDITY, VARIANTS } from '../../harness/test/kit/modes.ts';

/** A hundred thousand schedules a cell take hours on two cores; the variable shortens or lengthens that. */
const SCHEDULES = Number(process.env['HOLDFAST_SCHEDULES'] ?? 100_000);
const LOCKS = ['memory', 'redis-simple', 'zk', 'etcd', 'postgres'];
const timeout = 7_200_000;

/** Where exclusive holds of a lock exclude each other, its holds in modes have to do so, too. */
const matrix = loadMatrix();
const CELLS = LOCKS.flatMap((column) =>
  rowsOf(matrix, column)
    .filter((row) => row.cells[column]?.claims.validity.expect === 'holds')
    .flatMap((row) =>
      VARIANTS.filter((variant) => carries(column, variant)).map(
        (variant) => [column, variant, rowName(row), row] as const,
      ),
    ),
);

test.each(CELLS)(
  '%s, %s: no two holds that exclude each other are valid at once under %s',
  { timeout },
  async (column, variant, _name, { fault, setup, cells }) => {
    const isFenced = cells[column]?.claims.resource.expect === 'holds';
    const { counterexample, tally } = await searchModes(subjectOf(column), variant, {
      targets: isFenced ? [VALIDITY, FENCED] : [VALIDITY],
      faults: [fault],
      setup,
      budget: SCHEDULES,
    });

    expect(counterexample?.violation.message).toBeUndefined();
    expect(tally.schedules).toBe(SCHEDULES);
  },
);
