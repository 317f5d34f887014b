import { FAULT_IDS } from '@holdfast/harness/simulator';
import { matrixTests, QUICK } from './support/matrix.ts';

/** The rows that `matrix-zk.test.ts` leaves out. */
matrixTests('zk', QUICK, ({ fault }) => FAULT_IDS.indexOf(fault) % 2 === 1);
