import { basename, extname } from 'node:path';
import { allFaults, type SaleStep } from './step.ts';
import { BROKEN } from './steps-broken.ts';
import { SHARED } from './steps-shared.ts';
import type { StrategyName } from './strategies.ts';

/** Steps that people write first: no lock, a stale check, and a lock around the wrong thing. */
const NAIVE: readonly SaleStep[] = [
  {
    id: 'no-lock',
    part: 'ladder',
    what: 'reads the stock, works, writes it back',
    strategy: 'read-then-write',
    faults: [],
    shows: ['oversold', 'duplicates'],
    why: 'Every request that reads before the first one writes sells the same item.',
  },
  {
    id: 'check-decr',
    part: 'ladder',
    what: 'GET to check the stock, DECR to take one',
    strategy: 'check-then-decrement',
    faults: [],
    shows: ['oversold'],
    why: 'DECR loses no update, but the check is stale: all requests that saw the last item take one.',
  },
  {
    id: 'write-back',
    part: 'ladder',
    what: 'under a lock DECR, then SET to one less',
    strategy: 'write-back',
    lock: 'redis-simple',
    faults: [],
    shows: ['undersold'],
    why: 'A published recipe: DECR has taken the item already, and SET takes another that is never sold.',
  },
];

/** Steps under the locks that hold, with all faults at once. */
const HOLDING: readonly SaleStep[] = [
  {
    id: 'redis-simple',
    part: 'ladder',
    what: 'SET NX PX, scripts, and a watchdog that renews',
    strategy: 'locked',
    lock: 'redis-simple',
    ...allFaults('SET'),
    shows: ['duplicates'],
    why: 'Slow work is renewed and a dead holder’s key expires; a client that was paused after its check still writes.',
  },
  {
    id: 'redis-simple-fenced',
    part: 'ladder',
    what: 'as redis-simple, and the stock refuses tokens smaller than the largest it has seen',
    strategy: 'fenced',
    lock: 'redis-simple',
    ...allFaults('fenced-write'),
    shows: [],
    why: 'The late write has an old token and is refused: the resource prevents what no lock can.',
  },
  {
    id: 'redlock',
    part: 'ladder',
    what: 'a majority of independent Redis servers, renewed; it has no tokens',
    strategy: 'locked',
    lock: 'redlock',
    ...allFaults('SET'),
    shows: ['duplicates'],
    why: 'Like redis-simple without fencing, and it has no tokens to add it; but it survives the loss of a server.',
  },
  {
    id: 'zk-fenced',
    part: 'ladder',
    what: 'ZooKeeper: a queue of ephemeral nodes, and tokens',
    strategy: 'fenced',
    lock: 'zk',
    ...allFaults('fenced-write'),
    shows: [],
    why: 'Requests are served in order, across processes; the late write is refused because of its token.',
  },
  {
    id: 'etcd-fenced',
    part: 'ladder',
    what: 'etcd: a queue of keys with leases of three seconds, and tokens',
    strategy: 'fenced',
    lock: 'etcd',
    ttlMsMin: 3_000,
    ...allFaults('fenced-write'),
    shows: [],
    why: 'As with ZooKeeper. Every waiter keeps a lease of its own alive, so leases have to be longer, and a dead process blocks the others for longer.',
  },
  {
    id: 'postgres-fenced',
    part: 'ladder',
    what: 'PostgreSQL: a row for each key, and tokens',
    strategy: 'fenced',
    lock: 'postgres',
    ...allFaults('fenced-write'),
    shows: [],
    why: 'As with Redis: the late write has an old token and is refused.',
  },
];

/** Steps that avoid one hot lock, and steps with two locks. */
const INSTEAD: readonly SaleStep[] = [
  {
    id: 'decr',
    part: 'instead',
    what: 'DECR, and obey its reply',
    strategy: 'decrement',
    faults: [],
    shows: [],
    why: 'One atomic step needs no lock: a negative reply means sold out.',
  },
  {
    id: 'optimistic',
    part: 'instead',
    what: 'read, work, write if the stock is still what was read; three retries',
    strategy: 'optimistic',
    faults: [],
    shows: ['undersold'],
    why: 'It never oversells, but on one hot product most requests meet four conflicts and give up.',
  },
  {
    id: 'striped',
    part: 'instead',
    what: 'the stock in eight parts, each with its own lock',
    strategy: 'striped',
    lock: 'redis-simple',
    faults: [],
    shows: [],
    why: 'Eight customers are served at once; the cost is the search for the last items.',
  },
  {
    id: 'two-opposite',
    part: 'instead',
    what: 'product and gift together, locked in either order',
    strategy: 'opposite',
    lock: 'redis-simple',
    faults: [],
    shows: ['deadlocked'],
    why: 'Each request holds the lock that the other needs, and a watchdog renews both forever.',
  },
  {
    id: 'two-ordered',
    part: 'instead',
    what: 'product and gift together, always locked in the same order',
    strategy: 'ordered',
    lock: 'redis-simple',
    faults: [],
    shows: [],
    why: 'A holder of the first lock always gets the second: no cycle, no deadlock.',
  },
];

/** All steps, in the order in which they run. */
export const STEPS: readonly SaleStep[] = [...NAIVE, ...BROKEN, ...HOLDING, ...INSTEAD, ...SHARED];

/** The step of a lock from outside, with all faults at once. Nothing is expected of it. */
export function externalLockStep(lock: string, hasTokens: boolean): SaleStep {
  const faults = allFaults(hasTokens ? 'fenced-write' : 'SET');
  return {
    id: basename(lock, extname(lock)),
    part: 'ladder',
    what: hasTokens ? `${lock}, and the stock compares its tokens` : lock,
    strategy: hasTokens ? 'fenced' : 'locked',
    lock,
    ...faults,
    shows: null,
    why: 'Your lock: nothing is expected of it; this is the result.',
  };
}

/** The steps that charts run with every value. */
export const ONE_LOCK: SaleStep = plain('one lock', 'locked', 'redis-simple');
export const STRIPES: SaleStep = plain('eight stripes', 'striped', 'redis-simple');
export const DECR: SaleStep = plain('DECR', 'decrement');
export const OPTIMISTIC: SaleStep = plain('optimistic', 'optimistic');

function plain(what: string, strategy: StrategyName, lock?: string): SaleStep {
  const step = {
    id: what,
    part: 'instead',
    what,
    strategy,
    faults: [],
    shows: [],
    why: '',
  } as const;
  return lock === undefined ? step : { ...step, lock };
}
