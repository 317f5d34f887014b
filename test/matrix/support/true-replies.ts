import { type MatrixColumn, type Row, rowName } from '../../../harness/test/kit/matrix.ts';

/** Locks that tell their clients nothing but the truth. Not redis-getset: it deletes without comparing. */
export const TRUTHFUL: readonly MatrixColumn[] = [
  'memory',
  'redis-simple',
  'redlock',
  'redlock-3',
  'redlock-pairs',
  'zk',
];

/** Where nobody can know what is true. */
const UNTRUE: Readonly<Record<string, string>> = {
  'torn-log, all servers': 'the ensemble has forgotten what it has answered',
};

/** Whether a row can be told the truth in: where clocks err by more than the margin covers no lease lasts as long as it says. */
export function isTrue(row: Row): boolean {
  return row.setup.variation !== 'beyond' && !(rowName(row) in UNTRUE);
}
