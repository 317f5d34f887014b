import { matrixTests, QUICK } from './support/matrix.ts';

matrixTests('memory', QUICK);
