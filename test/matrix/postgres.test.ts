import { type Row, rowName } from '../../harness/test/kit/matrix.ts';
import { matrixTests, QUICK } from './support/matrix-tests.ts';

/** Fewer than of other locks: what is the same as on redis-simple shows there, too. */
const SCHEDULES = 50;
/** With a standby, the rows that differ from those of one server. */
const OF_STANDBYS = new Set(['none', 'failover', 'split-brain', 'peer-cut']);
/** Clients alone are affected, and answer as on any lock; mutants of these rows are tried in `test/broken`. */
const OF_CLIENTS = new Set([
  'delay',
  'reorder',
  'pause-acquire',
  'loop-block',
  'client-clock',
  'drift',
  'clock-smear',
  'swizzle',
  'suspend',
]);
/** It takes hundreds of schedules to break it, so only `npm run test:deep` does, which plays all rows. */
const RARE = 'failover, clock behind';

matrixTests('postgres', { ...QUICK, schedules: SCHEDULES }, ({ fault }) => !OF_CLIENTS.has(fault));
matrixTests('postgres-synchronous', { ...QUICK, schedules: SCHEDULES }, isOfStandbys);

function isOfStandbys(row: Row): boolean {
  return OF_STANDBYS.has(row.fault) && rowName(row) !== RARE;
}
