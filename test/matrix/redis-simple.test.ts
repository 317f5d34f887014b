import { matrixTests, QUICK } from './support/matrix-tests.ts';

matrixTests('redis-simple', QUICK);
