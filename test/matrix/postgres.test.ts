import { type Row, rowName } from '../../harness/test/kit/matrix.ts';
import { matrixTests, QUICK } from './support/matrix-tests.ts';

/** Fewer than of other locks: what is the same as on redis-simple shows there, too. */
const SCHEDULES = 50;
/** With a standby, the rows that differ from those of one server. */
const OF_STANDBYS = new Set(['none', 'failover', 'split-brain', 'peer-cut']);
/** It takes hundreds of schedules to break them, so only `npm run test:deep` does. */
const RARE = new Set(['clock-smear, beyond the margin', 'failover, clock behind']);

matrixTests('postgres', { ...QUICK, schedules: SCHEDULES }, (row) => !RARE.has(rowName(row)));
matrixTests('postgres-synchronous', { ...QUICK, schedules: SCHEDULES }, isOfStandbys);

function isOfStandbys(row: Row): boolean {
  return OF_STANDBYS.has(row.fault) && !RARE.has(rowName(row));
}
