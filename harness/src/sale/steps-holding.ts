import type { SaleStep } from './step.ts';
import { allFaults } from './step-faults.ts';

/** Under the locks that hold, against everything at once. */
export const HOLDING: readonly SaleStep[] = [
  {
    id: 'redis-simple',
    part: 'ladder',
    what: 'SET NX PX, scripts, and a watchdog that renews',
    deal: 'locked',
    lock: 'redis-simple',
    ...allFaults('SET'),
    shows: ['duplicates'],
    why: 'Slow work is renewed and a dead holder’s key expires; a process that stood still after it had asked writes all the same.',
  },
  {
    id: 'redis-simple-fenced',
    part: 'ladder',
    what: 'the same, and the stock refuses tokens smaller than the largest it has seen',
    deal: 'fenced',
    lock: 'redis-simple',
    ...allFaults('fenced-write'),
    shows: [],
    why: 'The late write comes with an old token, and is refused: what no lock can prevent, the resource can.',
  },
  {
    id: 'redlock',
    part: 'ladder',
    what: 'a majority of independent Redis servers, renewed; it has no tokens',
    deal: 'locked',
    lock: 'redlock',
    ...allFaults('SET'),
    shows: ['duplicates'],
    why: 'As redis-simple without a fence, and without a way to get one; and it goes on when a server is lost.',
  },
  {
    id: 'zk-fenced',
    part: 'ladder',
    what: 'ZooKeeper: a queue of ephemeral nodes, and tokens',
    deal: 'fenced',
    lock: 'zk',
    ...allFaults('fenced-write'),
    shows: [],
    why: 'Everybody in turn, whichever process they are on; the late write is refused by its token.',
  },
];
