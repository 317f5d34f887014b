import { UsageError } from 'holdfast/internal';
import { SHARDS_MAX, type Shard } from '../shards/shard.ts';

/** The name, default and bounds of a number on the command line. */
export interface NumberOption {
  readonly option: string;
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

/** The most schedules: with more, batches would repeat, because there are 2³¹ batches of 64. */
export const BUDGET_MAX = 10_000_000_000;
export const JOBS_MAX = 64;

/** @throws UsageError if it is not a whole number in the range */
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

/** @throws UsageError if it is not K/N */
export function shardFrom(values: ReadonlyMap<string, string>): Shard | undefined {
  const text = values.get('shard');
  if (text === undefined) return undefined;
  const [k = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).slice(1).map(Number);
  if (k < 1 || k > of || of > SHARDS_MAX)
    throw new UsageError(
      `invalid --shard ${text}`,
      `Use K/N, from 1/N to N/N, for example 3/8; N is at most ${SHARDS_MAX}.`,
    );
  return { k, of };
}
