import { deepMatrixTests } from './support/matrix.ts';

deepMatrixTests('etcd');
