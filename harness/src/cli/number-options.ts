import { UsageError } from 'holdfast/internal';
import { SHARDS_MAX, type Shard } from '../shards/shard.ts';

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

/** @throws UsageError for what names no part of a whole */
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
