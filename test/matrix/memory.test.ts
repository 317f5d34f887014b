import { matrixTests, QUICK } from './support/matrix-tests.ts';

matrixTests('memory', QUICK);
