import { basename, extname } from 'node:path';
import { allFaults, type SaleStep } from './step.ts';
import { BROKEN } from './steps-broken.ts';

/** What is written at once: no lock, a check that is old by the time it counts, and a lock around the wrong thing. */
const NAIVE: readonly SaleStep[] = [
  {
    id: 'no-lock',
    part: 'ladder',
    what: 'reads the stock, works, writes it back',
    deal: 'read-then-write',
    troubles: [],
    shows: ['oversold', 'duplicates'],
    why: 'Everybody who reads before the first one writes sells the same item.',
  },
  {
    id: 'check-decr',
    part: 'ladder',
    what: 'GET says that there is some, DECR takes one',
    deal: 'check-then-decrement',
    troubles: [],
    shows: ['oversold'],
    why: 'DECR loses nothing, but the check is old by then: all who saw the last item take one.',
  },
  {
    id: 'write-back',
    part: 'ladder',
    what: 'under a lock DECR, then SET to one less',
    deal: 'write-back',
    lock: 'redis-simple',
    troubles: [],
    shows: ['undersold'],
    why: 'A published listing: DECR has taken the item already, SET takes another that nobody buys.',
  },
];

/** Under the locks that hold, against everything at once. */
const HOLDING: readonly SaleStep[] = [
  {
    id: 'redis-simple',
    part: 'ladder',
    what: 'SET NX PX, scripts, and a watchdog that renews',
    deal: 'locked',
    lock: 'redis-simple',
    ...allFaults('SET'),
    shows: ['duplicates'],
    why: 'Slow work is renewed and a dead holder’s key expires; a client that was paused after its check still writes.',
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
    why: 'As redis-simple without a fence, and without a way to get one; and it survives the loss of a server.',
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

/** What to do instead of one hot lock, and what to mind with two. */
const INSTEAD: readonly SaleStep[] = [
  {
    id: 'decr',
    part: 'instead',
    what: 'DECR, and obey its answer',
    deal: 'decrement',
    troubles: [],
    shows: [],
    why: 'One atomic step needs no lock: a negative answer means sold out.',
  },
  {
    id: 'optimistic',
    part: 'instead',
    what: 'read, work, write if it is still what was read; three retries',
    deal: 'optimistic',
    troubles: [],
    shows: ['undersold'],
    why: 'Never oversells; but on one hot product most come too late and give up.',
  },
  {
    id: 'striped',
    part: 'instead',
    what: 'the stock in eight parts, each under a lock of its own',
    deal: 'striped',
    lock: 'redis-simple',
    troubles: [],
    shows: [],
    why: 'Eight customers are served at once; the price is looking for the last items.',
  },
  {
    id: 'two-opposite',
    part: 'instead',
    what: 'product and gift together, locked in either order',
    deal: 'opposite',
    lock: 'redis-simple',
    troubles: [],
    shows: ['deadlocked'],
    why: 'Each holds what the other wants, and a watchdog renews both forever.',
  },
  {
    id: 'two-ordered',
    part: 'instead',
    what: 'product and gift together, always locked in the same order',
    deal: 'ordered',
    lock: 'redis-simple',
    troubles: [],
    shows: [],
    why: 'Whoever has the first gets the second: no circle, no deadlock.',
  },
];

/** Every step, in the order in which they are sold. */
export const STEPS: readonly SaleStep[] = [...NAIVE, ...BROKEN, ...HOLDING, ...INSTEAD];

/** A lock from outside, against everything at once, as those that hold; nothing is expected of it. */
export function externalLockStep(lock: string, hasTokens: boolean): SaleStep {
  const trouble = allFaults(hasTokens ? 'fenced-write' : 'SET');
  return {
    id: basename(lock, extname(lock)),
    part: 'ladder',
    what: hasTokens ? `${lock}, and the stock compares its tokens` : lock,
    deal: hasTokens ? 'fenced' : 'locked',
    lock,
    ...trouble,
    shows: null,
    why: 'Your lock: nothing is expected of it, this is what was found.',
  };
}
