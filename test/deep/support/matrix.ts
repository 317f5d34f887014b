import type { MatrixColumn } from '../../../packages/holdfast/src/matrix/index.ts';
import { matrixTests } from '../../properties/support/matrix.ts';

/** A hundred thousand schedules a cell take hours on two cores; the variable shortens or lengthens that. */
const SCHEDULES = Number(process.env['HOLDFAST_SCHEDULES'] ?? 100_000);

/** One column to a file, so that all cores have something to do. */
export function deepMatrixTests(column: MatrixColumn): void {
  matrixTests(column, {
    schedules: SCHEDULES,
    seeds: 20,
    minimised: 20,
    timeoutMs: 7_200_000,
  });
}
