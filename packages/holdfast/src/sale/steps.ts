import type { DealName } from './deals.ts';
import type { Trouble } from './trouble.ts';

/** Where a step's locks come from. */
export type LockName =
  | 'setnx-del'
  | 'setnx-expire'
  | 'set-nx-fixed'
  | 'set-nx-same-id'
  | 'set-nx-get-del'
  | 'set-nx-lua'
  | 'redis-simple'
  | 'redis-getset'
  | 'redlock'
  | 'zk';

export type Flaw = 'oversold' | 'undersold' | 'duplicates' | 'deadlocked' | 'stolen';

/** One step of the ladder: how is sold, under which lock, and what goes wrong meanwhile. */
export interface Step {
  readonly id: string;
  readonly part: 'ladder' | 'instead';
  /** What it does; half a sentence. */
  readonly what: string;
  readonly deal: DealName;
  readonly lock?: LockName;
  readonly troubles: readonly Trouble[];
  /** What goes wrong meanwhile, for people; absent where nothing does. */
  readonly during?: string;
  /** What has to go wrong; empty where nothing may. */
  readonly shows: readonly Flaw[];
  /** Why it comes to what it comes to. */
  readonly why: string;
}

/** Early enough for there to be a lot left to lose, and often enough for bad luck to strike. */
const SLOW = [20, 50, 80, 110, 140, 170];
const TIMES = [15, 30, 45];
const DELS = [15, 30, 45, 60, 75];
/** Of a lease: longer than it lasts, and than a waiter takes to notice. */
const TOO_LONG = 1.5;

const SLOW_WORK: Trouble = { kind: 'slow', requests: SLOW, leases: TOO_LONG };
const SLOW_TEXT = 'the work of six requests takes longer than a lease';
const LATE_DEL: readonly Trouble[] = DELS.map((n) => ({
  kind: 'hold-up',
  at: 'lock',
  before: 'DEL',
  n,
  leases: TOO_LONG,
}));
const LATE_DEL_TEXT = 'five DELs are on their way for longer than a lease';
const ALL_TEXT = 'slow work, a process that stands still before it writes, and one that dies';

/** Everything at once that a lock is up against. */
function everything(write: 'SET' | 'fenced-write'): readonly Trouble[] {
  const stand: readonly Trouble[] = TIMES.map((n) => ({
    kind: 'stand-still',
    at: 'stock',
    before: write,
    n,
    leases: TOO_LONG,
  }));
  return [SLOW_WORK, ...stand, { kind: 'crash', at: 'stock', before: write, n: 60 }];
}

export const STEPS: readonly Step[] = [
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
  {
    id: 'setnx-del',
    part: 'ladder',
    what: 'SETNX, and DEL to release',
    deal: 'locked',
    lock: 'setnx-del',
    troubles: [{ kind: 'crash', at: 'stock', before: 'SET', n: 30 }],
    during: 'a process dies while it holds the lock',
    shows: ['deadlocked'],
    why: 'The key never goes away: nobody sells anything until somebody deletes it by hand.',
  },
  {
    id: 'setnx-expire',
    part: 'ladder',
    what: 'SETNX, then PEXPIRE, and DEL to release',
    deal: 'locked',
    lock: 'setnx-expire',
    troubles: [{ kind: 'crash', at: 'lock', before: 'PEXPIRE', n: 30 }],
    during: 'a process dies between SETNX and PEXPIRE',
    shows: ['deadlocked'],
    why: 'Two commands are not one: the key is there, and its end is not.',
  },
  {
    id: 'set-nx-fixed',
    part: 'ladder',
    what: 'SET NX PX with one value for all, and DEL to release',
    deal: 'locked',
    lock: 'set-nx-fixed',
    troubles: [SLOW_WORK],
    during: SLOW_TEXT,
    shows: ['stolen', 'oversold'],
    why: 'A late DEL frees the lock of whoever has it by then, who frees the next one’s, and so on.',
  },
  {
    id: 'set-nx-same-id',
    part: 'ladder',
    what: 'the same with a script that compares, but everybody is client1',
    deal: 'locked',
    lock: 'set-nx-same-id',
    troubles: [SLOW_WORK],
    during: SLOW_TEXT,
    shows: ['stolen', 'oversold'],
    why: 'Comparing what is the same for everybody compares nothing.',
  },
  {
    id: 'set-nx-get-del',
    part: 'ladder',
    what: 'an id of one’s own; GET, compare, DEL',
    deal: 'locked',
    lock: 'set-nx-get-del',
    troubles: LATE_DEL,
    during: LATE_DEL_TEXT,
    shows: ['stolen'],
    why: 'It was one’s own key when GET looked, and somebody else’s when DEL came.',
  },
  {
    id: 'set-nx-lua',
    part: 'ladder',
    what: 'an id of one’s own, released by a script; no renewal',
    deal: 'locked',
    lock: 'set-nx-lua',
    troubles: [SLOW_WORK],
    during: SLOW_TEXT,
    shows: ['oversold'],
    why: 'Nobody’s lock is stolen; but it ends under the work, and what was read before is written over what was sold since.',
  },
  {
    id: 'redis-getset',
    part: 'ladder',
    what: 'the legacy recipe with stamps: SETNX, GETSET, DEL',
    deal: 'locked',
    lock: 'redis-getset',
    troubles: LATE_DEL,
    during: LATE_DEL_TEXT,
    shows: ['stolen'],
    why: 'Nothing in a stamp says whose it is, so a late DEL removes whoever’s lock stands there.',
  },
  {
    id: 'redis-simple',
    part: 'ladder',
    what: 'SET NX PX, scripts, and a watchdog that renews',
    deal: 'locked',
    lock: 'redis-simple',
    troubles: everything('SET'),
    during: ALL_TEXT,
    shows: ['duplicates'],
    why: 'Slow work is renewed and a dead holder’s key expires; a process that stood still after it had asked writes all the same.',
  },
  {
    id: 'redis-simple-fenced',
    part: 'ladder',
    what: 'the same, and the stock refuses tokens smaller than the largest it has seen',
    deal: 'fenced',
    lock: 'redis-simple',
    troubles: everything('fenced-write'),
    during: ALL_TEXT,
    shows: [],
    why: 'The late write comes with an old token, and is refused: what no lock can prevent, the resource can.',
  },
  {
    id: 'redlock',
    part: 'ladder',
    what: 'a majority of five Redis servers, renewed; it has no tokens',
    deal: 'locked',
    lock: 'redlock',
    troubles: everything('SET'),
    during: ALL_TEXT,
    shows: ['duplicates'],
    why: 'As redis-simple without a fence, and without a way to get one; and it goes on when a server is lost.',
  },
  {
    id: 'zk-fenced',
    part: 'ladder',
    what: 'ZooKeeper: a queue of ephemeral nodes, and tokens',
    deal: 'fenced',
    lock: 'zk',
    troubles: everything('fenced-write'),
    during: ALL_TEXT,
    shows: [],
    why: 'Everybody in turn, whichever process they are on; the late write is refused by its token.',
  },
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
    why: 'Each holds what the other wants, and a watchdog renews both for ever.',
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
