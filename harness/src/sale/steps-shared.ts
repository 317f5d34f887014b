import type { SaleStep } from './step.ts';

/** Steps under locks that several hold at once. */
export const SHARED: readonly SaleStep[] = [
  {
    id: 'counters',
    part: 'instead',
    what: 'DECR, with a semaphore: at most eight customers at once',
    strategy: 'counters',
    lock: 'redis-simple',
    faults: [],
    shows: [],
    why: 'Each works for itself, and the ninth waits: a payment service gets eight calls at once, not two hundred.',
  },
  {
    id: 'catalogue-bare',
    part: 'instead',
    what: 'reads net and gross price, then DECR; every 25th request changes both',
    strategy: 'catalogue-bare',
    faults: [],
    shows: ['mispriced'],
    why: 'Who reads between the two writes sees prices that never belonged together.',
  },
  {
    id: 'catalogue',
    part: 'instead',
    what: 'the same with readers and writers',
    strategy: 'catalogue',
    lock: 'redis-simple',
    faults: [],
    shows: [],
    why: 'Customers read beside each other; a change waits for those before it, and those after it wait for the change.',
  },
];
