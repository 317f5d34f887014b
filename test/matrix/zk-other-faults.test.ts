import { FAULT_IDS } from '@holdfast/harness/simulator';
import { matrixTests, QUICK } from './support/matrix-tests.ts';

/** The rows that `zk.test.ts` leaves out. */
matrixTests('zk', QUICK, ({ fault }) => FAULT_IDS.indexOf(fault) % 2 === 1);
