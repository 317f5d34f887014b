import { FAULT_IDS } from '@holdfast/harness/simulator';
import { matrixTests, QUICK } from './support/matrix-tests.ts';

/** An ensemble takes about as long as five nodes, so a second file shares the load. */
matrixTests('zk', QUICK, ({ fault }) => FAULT_IDS.indexOf(fault) % 2 === 0);
