import { FAULT_IDS } from '@holdfast/harness/simulator';
import { matrixTests, QUICK } from './support/matrix-tests.ts';

/** Its heartbeats make a run long. Each mutant is detected within so many, too. */
const schedules = Math.min(QUICK.schedules, 60);

/** A cluster takes about as long as five nodes, so a second file shares the load. */
matrixTests('etcd', { ...QUICK, schedules }, ({ fault }) => FAULT_IDS.indexOf(fault) % 2 === 0);
