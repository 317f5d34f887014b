import type { SaleStep } from './step.ts';
import type { StrategyName } from './strategies.ts';

/** What charts hold again and again. */
export const ONE_LOCK: SaleStep = plain('one lock', 'locked', 'redis-simple');
export const STRIPES: SaleStep = plain('eight stripes', 'striped', 'redis-simple');
export const DECR: SaleStep = plain('DECR', 'decrement');
export const OPTIMISTIC: SaleStep = plain('optimistic', 'optimistic');

function plain(what: string, deal: StrategyName, lock?: string): SaleStep {
  const step = { id: what, part: 'instead', what, deal, troubles: [], shows: [], why: '' } as const;
  return lock === undefined ? step : { ...step, lock };
}
