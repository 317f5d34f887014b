import type { MatrixColumn, Row } from '../../../harness/src/matrix/index.ts';
import { rowName } from '../../../harness/src/matrix/index.ts';

/** What `npm test` plays of a cell; `npm run test:deep` plays 100,000. */
const USUAL = 500;
/** What the cells below need. */
const MORE = 2_000;

/**
 * Cells that come to nothing with fewer: because the mutant that vouches for one is convicted later, or because what is
 * rare there has not happened by then.
 */
const RARE: Readonly<Partial<Record<MatrixColumn, Readonly<Record<string, string>>>>> = {
  'redis-simple': {
    'clock-smear, beyond the margin':
      'no schedule among the first 500 reaches the state that the cell names',
    delay: 'validity-from-reply is convicted by schedule 686',
    'restart-durable': 'doubt-counts-as-renewed is convicted by schedule 630',
    'majority-down': 'doubt-counts-as-renewed is convicted by schedule 771',
  },
  'redis-getset': { reorder: 'from seed 1 validity breaks later' },
  redlock: {
    'pause-acquire': 'late-vote-counted is convicted by schedule 936',
    'restart-empty, after a ttl': 'majority-of-those-that-answered is convicted by schedule 1,411',
  },
  'redlock-3': {
    'pause-acquire': 'late-vote-counted is convicted by schedule 936',
    'restart-durable': 'majority-of-those-that-answered is convicted by schedule 579',
    'majority-down': 'majority-of-those-that-answered is convicted by schedule 1,261',
  },
  zk: {
    'server-slow, above the deadline': 'no-look-up is convicted by its rate, in 2,000',
    'peer-cut': 'local-pings-as-proof is convicted by schedule 1,840',
  },
};

/** How many schedules `npm test` plays of a cell. */
export function schedulesOf(row: Row, column: MatrixColumn): number {
  return RARE[column]?.[rowName(row)] === undefined ? USUAL : MORE;
}
