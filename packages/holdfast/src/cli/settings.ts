import type { OptionKinds } from './arguments.ts';
import { UsageError } from './usage-error.ts';

/** How hard a comparison tries, as the command line says it. */
export interface Settings {
  readonly seed: number;
  readonly schedules: number;
  readonly processes: number;
  readonly waiters: number;
  readonly rounds: number;
  readonly trials: number;
  readonly ttlMs: number;
}

interface Setting {
  readonly option: string;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

const SETTINGS: Readonly<Record<keyof Settings, Setting>> = {
  seed: { option: 'seed', fallback: 1, min: 0, max: 2 ** 32 - 1 },
  schedules: { option: 'schedules', fallback: 400, min: 1, max: 1_000_000 },
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
  const read = (name: keyof Settings): number => settingFrom(values, SETTINGS[name]);
  return {
    seed: read('seed'),
    schedules: read('schedules'),
    processes: read('processes'),
    waiters: read('waiters'),
    rounds: read('rounds'),
    trials: read('trials'),
    ttlMs: read('ttlMs'),
  };
}

function settingFrom(
  values: ReadonlyMap<string, string>,
  { option, fallback, min, max }: Setting,
): number {
  const text = values.get(option);
  if (text === undefined) return fallback;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`--${option} needs a whole number from ${min} to ${max}, not "${text}"`);
}
