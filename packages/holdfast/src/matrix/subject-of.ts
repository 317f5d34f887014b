import type { Subject } from '@holdfast/sim';
import { REDLOCK_ON_THREE, SUBJECTS } from '../search/index.ts';
import type { MatrixColumn } from './matrix.ts';

/**
 * The lock of a column. Redlock over pairs is Redlock itself: schedules of faults that need a pair put a replica behind
 * every node.
 */
export function subjectOf(column: MatrixColumn | 'no-lock'): Subject {
  if (column === 'redlock-3') return REDLOCK_ON_THREE;
  return SUBJECTS[column === 'redlock-pairs' ? 'redlock' : column];
}
