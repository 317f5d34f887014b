import type { Subject } from '@holdfast/sim';
import { builtInSubject } from '../search/index.ts';
import type { MatrixColumn } from './matrix.ts';

/**
 * The lock of a column. Redlock over pairs is Redlock itself: schedules of faults that need a pair put a replica behind
 * every node.
 * @throws RangeError for a column that is no lock of ours
 */
export function subjectOf(column: MatrixColumn): Subject {
  const subject = builtInSubject(column === 'redlock-pairs' ? 'redlock' : column);
  if (subject === undefined)
    throw new RangeError(`${column} is no lock that comes with this package`);
  return subject;
}
