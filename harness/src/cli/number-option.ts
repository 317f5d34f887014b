import { UsageError } from 'holdfast/internal';

/** What a number on the command line may be. */
export interface NumberOption {
  readonly option: string;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/** Schedules; of more, batches would begin to be the same: there are 2³¹ of 64. */
export const BUDGET_MAX = 10_000_000_000;
export const JOBS_MAX = 64;

/** @throws UsageError for what is no whole number, or out of range */
export function wholeNumber(
  values: ReadonlyMap<string, string>,
  { option, fallback, min, max }: NumberOption,
): number {
  const text = values.get(option);
  if (text === undefined) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${option} needs a whole number from ${min} to ${max}, not "${text}"`);
}
