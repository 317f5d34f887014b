import { FAULT_IDS } from '@holdfast/harness/simulator';
import { matrixTests, QUICK } from './support/matrix-tests.ts';

/** Five nodes take five times as long, so a second file shares the load. */
matrixTests('redlock', QUICK, ({ fault }) => FAULT_IDS.indexOf(fault) % 2 === 0);
matrixTests('redlock-pairs', QUICK, ({ fault }) => fault === 'failover');
