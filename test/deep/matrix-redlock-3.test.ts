import { deepMatrixTests } from './support/matrix.ts';

deepMatrixTests('redlock-3');
