import type { MatrixColumn, Row } from '../../../harness/src/matrix/index.ts';
import { rowName } from '../../../harness/src/matrix/index.ts';

/** What `npm test` plays of a cell; `npm run test:deep` plays 100,000. */
const USUAL = 500;
/** For the cells below. */
const MORE = 2_000;

/**
 * Cells for which 500 schedules are too few, and why: their mutant is detected later, or a rare state is not reached by
 * then.
 */
const RARE: Readonly<Partial<Record<MatrixColumn, Readonly<Record<string, string>>>>> = {
  'redis-simple': {
    'clock-smear, beyond the margin':
      'no schedule among the first 500 reaches the state that the cell names',
    delay: 'validity-from-reply is detected by schedule 686',
    'restart-durable': 'doubt-counts-as-renewed is detected by schedule 630',
    'majority-down': 'doubt-counts-as-renewed is detected by schedule 771',
  },
  'redis-getset': { reorder: 'from seed 1 validity breaks later' },
  redlock: {
    'pause-acquire': 'late-vote-counted is detected by schedule 936',
    'restart-empty, after a ttl': 'majority-of-those-that-answered is detected by schedule 1,411',
  },
  'redlock-3': {
    'pause-acquire': 'late-vote-counted is detected by schedule 936',
    'restart-durable': 'majority-of-those-that-answered is detected by schedule 579',
    'majority-down': 'majority-of-those-that-answered is detected by schedule 1,261',
  },
  zk: {
    'server-slow, above the deadline': 'no-look-up is detected by its rate in 2,000',
    'peer-cut': 'local-pings-as-proof is detected by schedule 1,840',
  },
};

/** How many schedules `npm test` plays of a cell. */
export function schedulesOf(row: Row, column: MatrixColumn): number {
  return RARE[column]?.[rowName(row)] === undefined ? USUAL : MORE;
}
