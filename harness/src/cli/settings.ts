import { availableParallelism } from 'node:os';
import type { OptionKinds } from 'holdfast/internal';
import { BUDGET_MAX, JOBS_MAX, type NumberOption, wholeNumber } from './number-options.ts';

/** The settings of a comparison from the command line. */
export interface ComparisonSettings {
  readonly seed: number;
  readonly budget: number;
  /** True if each cell gets exactly the budget. */
  readonly exact: boolean;
  readonly jobs: number;
  readonly processes: number;
  readonly waiters: number;
  readonly rounds: number;
  readonly trials: number;
  readonly ttlMs: number;
}

/** "None in 2 000" is at 95 % a rate below 0.15 %. */
const DEEP = 2_000;

const SETTINGS: Readonly<Record<Exclude<keyof ComparisonSettings, 'exact'>, NumberOption>> = {
  seed: { option: 'seed', fallback: 1, min: 0, max: 2 ** 32 - 1 },
  budget: { option: 'budget', fallback: 64, min: 1, max: BUDGET_MAX },
  jobs: {
    option: 'jobs',
    fallback: Math.min(availableParallelism(), JOBS_MAX),
    min: 1,
    max: JOBS_MAX,
  },
  processes: { option: 'processes', fallback: 4, min: 1, max: 64 },
  waiters: { option: 'waiters', fallback: 4, min: 1, max: 1_000 },
  rounds: { option: 'rounds', fallback: 8, min: 1, max: 10_000 },
  trials: { option: 'trials', fallback: 4, min: 1, max: 100 },
  ttlMs: { option: 'ttl', fallback: 1_000, min: 500, max: 60_000 },
};

export const SETTING_OPTIONS: OptionKinds = Object.fromEntries(
  Object.values(SETTINGS).map(({ option }) => [option, 'value'] as const),
);

/** @throws UsageError */
export function jobsFrom(values: ReadonlyMap<string, string>): number {
  return wholeNumber(values, SETTINGS.jobs);
}

/** @throws UsageError if a number is not whole, or out of range */
export function settingsFrom(
  values: ReadonlyMap<string, string>,
  isDeep: boolean,
): ComparisonSettings {
  const read = (name: keyof typeof SETTINGS): number => wholeNumber(values, SETTINGS[name]);
  const { budget } = SETTINGS;
  return {
    seed: read('seed'),
    budget: wholeNumber(values, isDeep ? { ...budget, fallback: DEEP } : budget),
    exact: isDeep,
    jobs: jobsFrom(values),
    processes: read('processes'),
    waiters: read('waiters'),
    rounds: read('rounds'),
    trials: read('trials'),
    ttlMs: read('ttlMs'),
  };
}
