import type { SaleFault } from './sale-fault.ts';
import type { StrategyName } from './strategies.ts';

export type SaleFlaw = 'oversold' | 'undersold' | 'duplicates' | 'deadlocked' | 'stolen';

/** One step of the ladder: how is sold, under which lock, and what goes wrong meanwhile. */
export interface SaleStep {
  readonly id: string;
  readonly part: 'ladder' | 'instead';
  /** What it does; half a sentence. */
  readonly what: string;
  readonly deal: StrategyName;
  /** The name of the lock that it sells under. */
  readonly lock?: string;
  readonly troubles: readonly SaleFault[];
  /** What goes wrong meanwhile, for people; absent where nothing does. */
  readonly during?: string;
  /** What has to go wrong; empty where nothing may; null where nothing is expected. */
  readonly shows: readonly SaleFlaw[] | null;
  /** Why it comes to what it comes to. */
  readonly why: string;
}
