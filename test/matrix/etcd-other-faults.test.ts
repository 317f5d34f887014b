import { FAULT_IDS } from '@holdfast/harness/simulator';
import { matrixTests, QUICK } from './support/matrix-tests.ts';

/** Its heartbeats make a run long. Each mutant is detected within so many, too. */
const schedules = Math.min(QUICK.schedules, 60);

/** The rows that `etcd.test.ts` leaves out. */
matrixTests('etcd', { ...QUICK, schedules }, ({ fault }) => FAULT_IDS.indexOf(fault) % 2 === 1);
