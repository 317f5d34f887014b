import { matrixTests, QUICK } from './support/matrix.ts';

matrixTests('redlock-3', QUICK);
