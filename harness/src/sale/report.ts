import type { Figures } from './figures.ts';
import type { SaleSettings } from './sale.ts';
import type { SaleFlaw, SaleStep } from './step.ts';

/** The report of `holdfast sale`. Later versions add fields under the same `version`, and rename none. */
export interface SaleReport {
  readonly format: 'holdfast-sale';
  readonly version: 1;
  /** The version of the package that wrote it. */
  readonly holdfast: string;
  readonly servers: 'embedded' | 'local';
  /** The environment that ran it, in words. */
  readonly by: string;
  readonly settings: SaleSettings;
  readonly steps: readonly StepResult[];
  readonly charts: readonly Chart[];
}

/** One step, and its result. */
export interface StepResult
  extends Pick<SaleStep, 'id' | 'part' | 'what' | 'during' | 'shows' | 'why' | 'lock'> {
  /** Null if it could not be run; then `missing` says why. */
  readonly figures: Figures | null;
  readonly missing?: string;
  readonly asExpected: boolean;
  /** The number of runs until its flaw showed, which on real servers depends on chance. */
  readonly attempts: number;
}

/** A series of sales in which one setting is varied. */
export interface Chart {
  readonly id: 'inside' | 'conflicts';
  /** The varied setting, with its unit. */
  readonly axis: string;
  readonly series: readonly string[];
  readonly points: readonly ChartPoint[];
  readonly why: string;
}

export interface ChartPoint {
  readonly at: number;
  /** The figures of each series, in their order. */
  readonly figures: readonly Figures[];
}

const FLAWS: readonly SaleFlaw[] = [
  'oversold',
  'undersold',
  'duplicates',
  'deadlocked',
  'stolen',
  'mispriced',
];

/** The flaws that these figures show. */
export function flawsOf(figures: Figures): readonly SaleFlaw[] {
  return FLAWS.filter((flaw) => figures[flaw] > 0);
}

/** True if all expected flaws showed, or none if none may; always true if nothing is expected. */
export function isAsExpected(
  { shows, faults }: Pick<SaleStep, 'shows' | 'faults'>,
  figures: Figures,
): boolean {
  if (shows === null) return true;
  if (shows.length === 0) return flawsOf(figures).length === 0;
  // On a busy machine a lock may get stuck without the crash, which does not show the flaw.
  const needsCrash = shows.includes('deadlocked') && faults.some(({ kind }) => kind === 'crash');
  return shows.every((flaw) => figures[flaw] > 0) && (!needsCrash || 'CRASHED' in figures.failures);
}

/** 0 if every step was as expected, else 1. */
export function saleExitCode({ steps }: SaleReport): 0 | 1 {
  return steps.every(({ asExpected }) => asExpected) ? 0 : 1;
}
