import type { SaleStep } from './step.ts';

/** What is written at once: no lock, a check that is old by the time it counts, and a lock around the wrong thing. */
export const NAIVE: readonly SaleStep[] = [
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
