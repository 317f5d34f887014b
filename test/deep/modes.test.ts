import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { loadMatrix, rowName, rowsOf } from '../../harness/test/kit/matrix.ts';
import {
  carries,
  FENCED,
  ORDER,
  searchModes,
  VALIDITY,
  VARIANTS,
} from '../../harness/test/kit/modes.ts';

/** A hundred thousand schedules a cell take hours on two cores; the variable shortens or lengthens that. */
const SCHEDULES = Number(process.env['HOLDFAST_SCHEDULES'] ?? 100_000);
/** The schedules of the seed that are left out: to play the one that a failure names. */
const AFTER = Number(process.env['HOLDFAST_AFTER'] ?? 0);
const PROGRESS_MS = 60_000;
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
  async (column, variant, name, { fault, setup, cells }) => {
    const isFenced = cells[column]?.claims.resource.expect === 'holds';
    const cell = `${column}, ${variant}, ${name}`;
    let toldMs = Date.now();
    const { counterexample, tally } = await searchModes(subjectOf(column), variant, {
      targets: [VALIDITY, ...(isFenced ? [FENCED] : []), ORDER],
      faults: [fault],
      setup,
      budget: AFTER + SCHEDULES,
      after: AFTER,
      onProgress: ({ schedules }) => {
        if (Date.now() - toldMs < PROGRESS_MS) return;
        toldMs = Date.now();
        console.info(`${cell}: ${schedules} of ${SCHEDULES} schedules`);
      },
    });

    if (counterexample !== undefined)
      console.error(
        `again: HOLDFAST_AFTER=${counterexample.n - 1} HOLDFAST_SCHEDULES=1 npx vitest run --project deep test/deep/modes.test.ts -t '${column}, ${variant}.* ${name}'`,
      );
    expect(counterexample?.violation.message).toBeUndefined();
    expect(tally.schedules).toBe(SCHEDULES);
  },
);
