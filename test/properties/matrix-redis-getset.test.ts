import { matrixTests, QUICK } from './support/matrix.ts';

matrixTests('redis-getset', QUICK);
