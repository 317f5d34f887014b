import type { OptionKinds } from './arguments.ts';
import { type NumberOption, wholeNumber } from './whole-number.ts';

/** How hard a comparison tries, as the command line says it. */
export interface Settings {
  readonly seed: number;
  readonly budget: number;
  readonly processes: number;
  readonly waiters: number;
  readonly rounds: number;
  readonly trials: number;
  readonly ttlMs: number;
}

const SETTINGS: Readonly<Record<keyof Settings, NumberOption>> = {
  seed: { option: 'seed', fallback: 1, min: 0, max: 2 ** 32 - 1 },
  budget: { option: 'budget', fallback: 64, min: 1, max: 1_000_000 },
  processes: { option: 'processes', fallback: 4, min: 1, max: 64 },
  waiters: { option: 'waiters', fallback: 4, min: 1, max: 1_000 },
  rounds: { option: 'rounds', fallback: 8, min: 1, max: 10_000 },
  trials: { option: 'trials', fallback: 4, min: 1, max: 100 },
  ttlMs: { option: 'ttl', fallback: 1_000, min: 500, max: 60_000 },
};

export const SETTING_OPTIONS: OptionKinds = Object.fromEntries(
  Object.values(SETTINGS).map(({ option }) => [option, 'value'] as const),
);

/** @throws UsageError for what is no whole number, or out of range */
export function settingsFrom(values: ReadonlyMap<string, string>): Settings {
  const read = (name: keyof Settings): number => wholeNumber(values, SETTINGS[name]);
  return {
    seed: read('seed'),
    budget: read('budget'),
    processes: read('processes'),
    waiters: read('waiters'),
    rounds: read('rounds'),
    trials: read('trials'),
    ttlMs: read('ttlMs'),
  };
}
