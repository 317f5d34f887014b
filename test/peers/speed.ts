import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Pairs of acquire and release in a second, or how they compare. */
export interface Rates {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Load {
  readonly callers: number;
  readonly keys: number;
}

/** What was measured in one run, in which both took turns. */
export interface Speed {
  readonly date: string;
  readonly by: readonly string[];
  readonly rounds: number;
  readonly turnMs: number;
  /** That of the machine before and after, on so many cores. */
  readonly load: readonly [number, number];
  readonly cores: number;
  readonly rows: readonly Row[];
}

export interface Row extends Load {
  readonly ours: Rates;
  readonly curator: Rates;
  /** Ours, as a multiple of Curator in the turn beside it. */
  readonly ratio: Rates;
}

/** Keys of their own, then one key for all. */
export const LOADS: readonly Load[] = [
  { callers: 1, keys: 1 },
  { callers: 16, keys: 16 },
  { callers: 64, keys: 64 },
  { callers: 16, keys: 1 },
  { callers: 64, keys: 1 },
];

export const SPEED_FILE: string = fileURLToPath(
  new URL('found/laboratory/speed.json', import.meta.url),
);

/** Rounded to so many decimals. */
export function ratesOf(samples: readonly number[], decimals = 0): Rates {
  const rounded = samples.map((sample) => Number(sample.toFixed(decimals)));
  const sorted = rounded.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { median: at(0.5), min: at(0), max: at(1) };
}

/** Undefined if it was never measured. */
export function readSpeed(): Speed | undefined {
  if (!existsSync(SPEED_FILE)) return undefined;
  return JSON.parse(readFileSync(SPEED_FILE, 'utf8')) as Speed;
}
