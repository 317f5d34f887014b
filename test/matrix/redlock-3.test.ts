import { matrixTests, QUICK } from './support/matrix-tests.ts';

matrixTests('redlock-3', QUICK);
