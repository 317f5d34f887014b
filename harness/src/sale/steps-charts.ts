import type { DealName } from './deals.ts';
import type { Step } from './step.ts';

/** What charts hold again and again. */
export const ONE_LOCK: Step = plain('one lock', 'locked', 'redis-simple');
export const STRIPES: Step = plain('eight stripes', 'striped', 'redis-simple');
export const DECR: Step = plain('DECR', 'decrement');
export const OPTIMISTIC: Step = plain('optimistic', 'optimistic');

function plain(what: string, deal: DealName, lock?: string): Step {
  const step = { id: what, part: 'instead', what, deal, troubles: [], shows: [], why: '' } as const;
  return lock === undefined ? step : { ...step, lock };
}
