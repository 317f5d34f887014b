import type { SaleStep } from './step.ts';

/** What to do instead of one hot lock, and what to mind with two. */
export const INSTEAD: readonly SaleStep[] = [
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
