import { deepMatrixTests } from './support/matrix.ts';

deepMatrixTests('redlock-pairs');
