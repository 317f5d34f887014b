import { deepMatrixTests } from './support/matrix.ts';

deepMatrixTests('redis-getset');
