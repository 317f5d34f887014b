import { type MatrixColumn, type Row, rowName } from '../../../harness/test/kit/matrix.ts';

/**
 * Schedules of a cell in `npm test`; `npm run test:deep` plays 100,000. From the seed of its cell, each mutant is detected,
 * and each rare state that a cell asks for is reached, within them. More only repeats: it detects no other mutant.
 */
export const SCHEDULES = 100;
/** The limit of a search for a break that must happen; it ends with the first schedule that shows it. */
export const SEARCHED = 2_000;

const USUAL_SEED = 1;

/**
 * Seeds of the cells whose mutant, or rare state, does not come up among the first 100 schedules of seed 1. Each is the
 * smallest from which it does; beside it stands from how many seeds of those tried.
 */
const SEEDS: Readonly<Partial<Record<MatrixColumn, Readonly<Record<string, number>>>>> = {
  memory: {
    // deadline-from-reply: 10 of 12
    'pause-acquire': 2,
  },
  'redis-simple': {
    // validity-from-reply: 2 of 12
    delay: 8,
    // doubt-counts-as-renewed: 4 of 12
    'server-stop': 3,
    // doubt-counts-as-renewed: 2 of 7
    'restart-durable': 5,
    // doubt-counts-as-renewed: 2 of 14
    'restart-empty, after a ttl': 11,
    // doubt-counts-as-renewed: 2 of 3
    'client-cut': 2,
    // doubt-counts-as-renewed: 3 of 12
    'majority-down': 3,
    // no-drift-margin: 2 of 6
    'clock-smear, within the margin': 3,
    // a token was refused: 1 of 12
    'clock-smear, beyond the margin': 6,
  },
  // Of 60 schedules each.
  etcd: {
    // a token was refused: 7 of 8
    reorder: 2,
    // exactly a quorum, in one schedule of 240
    'majority-down': 4,
  },
  // Of 50 schedules each.
  'redis-simple/sentinel': {
    // doubt-counts-as-renewed: 2 of 5
    'client-cut': 3,
  },
  'redis-simple/sentinel-split': {
    // doubt-counts-as-renewed
    'client-cut': 3,
  },
  'redis-simple/cluster': {
    // a token was refused: 2 of 3
    'split-brain, clocks level': 2,
    // doubt-counts-as-renewed: 2 of 5
    'client-cut': 3,
  },
  'redis-simple/cluster-moving': {
    // doubt-counts-as-renewed: 3 of 5
    'client-cut': 2,
  },
  redlock: {
    // quorum-one-short: 2 of 12
    'server-slow, above the deadline': 5,
    // redlock-waits-for-news-alone: 8 of 12
    'lost-wakeup': 2,
    // quorum-one-short: 6 of 8
    'clock-smear, beyond the margin': 3,
    // late-vote-counted, in schedule 30
    'pause-acquire': 2,
    // majority-of-those-that-answered: 2 of 14
    'restart-empty, after a ttl': 9,
  },
  'redlock-3': {
    // late-vote-counted: 2 of 21
    'pause-acquire': 12,
    // quorum-one-short: 10 of 12
    'server-slow, below the deadline': 2,
    // majority-of-those-that-answered, in schedule 16
    'restart-durable': 4,
    // majority-of-those-that-answered: 4 of 36
    'majority-down': 13,
  },
  zk: {
    // no-look-up, by its rate: 1 of 36
    'server-slow, above the deadline': 27,
    // watch-on-nothing: 2 of 6
    'lost-wakeup': 4,
    // local-pings-as-proof: 2 of 13
    'peer-cut': 12,
  },
  // Of 50 schedules each.
  postgres: {
    // row-valid-from-the-reply
    delay: 28,
    // it took effect in too few from seed 1
    pause: 2,
    suspend: 2,
    // no-drift-margin
    'clock-smear, within the margin': 7,
    // a token was refused
    'clock-smear, beyond the margin': 6,
    // row-renewed-without-a-reply, in all others
    'server-stop': 3,
    'restart-empty, after a ttl': 7,
    'client-cut': 3,
    'majority-down': 6,
    swizzle: 7,
  },
  'postgres-advisory': {
    // it took effect in too few from seed 1
    pause: 2,
    suspend: 2,
  },
  'postgres-synchronous': {
    // a token was refused
    'split-brain, clock ahead': 3,
  },
};

/** Returns the seed of the schedules of a cell. */
export function seedOf(row: Row, column: MatrixColumn): number {
  return SEEDS[column]?.[rowName(row)] ?? USUAL_SEED;
}
