import { type MatrixColumn, type Row, rowName } from '../../../harness/test/kit/matrix.ts';

/** Locks whose replies to clients are always true. Not redis-getset: it deletes without comparing. */
export const TRUTHFUL: readonly MatrixColumn[] = [
  'memory',
  'redis-simple',
  'redlock',
  'redlock-3',
  'redlock-pairs',
  'zk',
  'postgres',
  'postgres-synchronous',
];

/** Rows in which no client can know what is true. */
const UNTRUE: Readonly<Record<string, string>> = {
  'torn-log, all servers': 'the ensemble has lost acknowledged writes',
};

/** True if replies can be true in a row: if clocks err by more than the safety margin, no lease lasts as long as it says. */
export function isTrue(row: Row): boolean {
  return row.setup.variation !== 'beyond' && !(rowName(row) in UNTRUE);
}
