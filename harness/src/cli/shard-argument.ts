import { UsageError } from 'holdfast/internal';
import { SHARDS_MAX, type Shard } from '../shards/shard.ts';

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
