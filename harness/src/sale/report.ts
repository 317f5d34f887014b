import type { Figures } from './figures.ts';
import type { SaleSettings } from './sale.ts';
import type { SaleFlaw, SaleStep } from './step.ts';

/** What `holdfast sale` found out; later versions add fields under the same `version`, they rename none. */
export interface SaleReport {
  readonly format: 'holdfast-sale';
  readonly version: 1;
  /** Version of the package that wrote it. */
  readonly holdfast: string;
  readonly servers: 'embedded' | 'local';
  /** By whom and where. */
  readonly by: string;
  readonly settings: SaleSettings;
  readonly steps: readonly StepResult[];
  readonly charts: readonly Chart[];
}

/** One step, and what it came to. */
export interface StepResult
  extends Pick<SaleStep, 'id' | 'part' | 'what' | 'during' | 'shows' | 'why' | 'lock'> {
  /** null where it could not be held; then `missing` says why. */
  readonly figures: Figures | null;
  readonly missing?: string;
  readonly asExpected: boolean;
  /** How often it was held until its flaw showed: on real servers that is a matter of chance. */
  readonly attempts: number;
}

/** The same sale over and over, with one thing changed. */
export interface Chart {
  readonly id: 'inside' | 'conflicts';
  /** What is changed, with its unit. */
  readonly axis: string;
  readonly series: readonly string[];
  readonly points: readonly ChartPoint[];
  readonly why: string;
}

export interface ChartPoint {
  readonly at: number;
  /** One for each of the series, in their order. */
  readonly figures: readonly Figures[];
}

const FLAWS: readonly SaleFlaw[] = ['oversold', 'undersold', 'duplicates', 'deadlocked', 'stolen'];

/** What went wrong. */
export function flawsOf(figures: Figures): readonly SaleFlaw[] {
  return FLAWS.filter((flaw) => figures[flaw] > 0);
}

/** All went wrong that had to; where nothing may go wrong, nothing did; where nothing is expected, anything is. */
export function isAsExpected(
  { shows, troubles }: Pick<SaleStep, 'shows' | 'troubles'>,
  figures: Figures,
): boolean {
  if (shows === null) return true;
  if (shows.length === 0) return flawsOf(figures).length === 0;
  // On a busy machine a lock may get stuck by itself: that is not what is told of it.
  const isOfDeath = shows.includes('deadlocked') && troubles.some(({ kind }) => kind === 'crash');
  return shows.every((flaw) => figures[flaw] > 0) && (!isOfDeath || 'CRASHED' in figures.failures);
}

/** 0 when everything came out as it had to, else 1. */
export function exitCodeOf({ steps }: SaleReport): 0 | 1 {
  return steps.every(({ asExpected }) => asExpected) ? 0 : 1;
}
