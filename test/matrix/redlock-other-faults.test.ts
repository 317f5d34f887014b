import { FAULT_IDS } from '@holdfast/harness/simulator';
import { matrixTests, QUICK } from './support/matrix-tests.ts';

/** The rows that `redlock.test.ts` leaves out. */
matrixTests('redlock', QUICK, ({ fault }) => FAULT_IDS.indexOf(fault) % 2 === 1);
matrixTests('redlock-pairs', QUICK, ({ fault }) => fault !== 'failover');
