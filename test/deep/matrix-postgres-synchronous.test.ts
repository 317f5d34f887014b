import { deepMatrixTests } from './support/matrix.ts';

deepMatrixTests('postgres-synchronous');
