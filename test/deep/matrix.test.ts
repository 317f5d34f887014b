import { loadMatrix } from '../../packages/holdfast/src/matrix/index.ts';
import { matrixTests } from '../properties/support/matrix.ts';

/** A hundred thousand schedules a cell take hours on two cores; the variable shortens or lengthens that. */
const SCHEDULES = Number(process.env['HOLDFAST_SCHEDULES'] ?? 100_000);

for (const column of loadMatrix().columns)
  matrixTests(column, { schedules: SCHEDULES, seeds: 20, minimised: 20, timeoutMs: 7_200_000 });
