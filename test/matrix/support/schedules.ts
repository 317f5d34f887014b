import { type MatrixColumn, type Row, rowName } from '../../../harness/test/kit/matrix.ts';

/**
 * Schedules of a cell in `npm test`; `npm run test:deep` plays 100,000. From the seed of its cell, each mutant is detected,
 * and each rare state that a cell asks for is reached, within them.
 */
export const SCHEDULES = 300;
/** The limit of a search for a break that must happen; it ends with the first schedule that shows it. */
export const SEARCHED = 2_000;

const USUAL_SEED = 1;

/**
 * Seeds of the cells whose mutant, or rare state, does not come up among the first 300 schedules of seed 1. Each is the
 * smallest seed from which it does, in the schedule that is named.
 */
const SEEDS: Readonly<Partial<Record<MatrixColumn, Readonly<Record<string, number>>>>> = {
  'redis-simple': {
    // validity-from-reply, which 3 of 8 seeds detect
    delay: 5,
    // doubt-counts-as-renewed in 129
    'restart-durable': 2,
    // doubt-counts-as-renewed in 266
    'majority-down': 2,
    // a token was refused, which 2 of 9 seeds reach
    'clock-smear, beyond the margin': 5,
  },
  redlock: {
    // quorum-one-short, which 6 of 8 seeds detect
    'clock-smear, beyond the margin': 3,
    // late-vote-counted in 30
    'pause-acquire': 2,
    // majority-of-those-that-answered in 120
    'restart-empty, after a ttl': 2,
  },
  'redlock-3': {
    // late-vote-counted in 200
    'pause-acquire': 3,
    // majority-of-those-that-answered in 16
    'restart-durable': 4,
    // majority-of-those-that-answered in 261
    'majority-down': 11,
  },
  zk: {
    // no-look-up in 256, by its rate
    'server-slow, above the deadline': 8,
    // local-pings-as-proof in 123
    'peer-cut': 4,
  },
};

/** Returns the seed of the schedules of a cell. */
export function seedOf(row: Row, column: MatrixColumn): number {
  return SEEDS[column]?.[rowName(row)] ?? USUAL_SEED;
}
