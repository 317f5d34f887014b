import type { Share } from '../search/index.ts';

/** Part `k`, from 1, of a campaign that `of` machines share. */
export interface Shard {
  readonly k: number;
  readonly of: number;
}

/** More than any number of machines. */
export const SHARDS_MAX = 1_000_000;

export function shareOf({ k, of }: Shard): Share {
  return { first: k - 1, of };
}

/** `shard-3-of-8.json`. */
export function fileOf({ k, of }: Shard): string {
  return `shard-${k}-of-${of}.json`;
}

/** True for a file name of {@link fileOf}, with any prefix. */
export function isShardFile(name: string): boolean {
  return /(?:^|-)shard-\d+-of-\d+\.json$/.test(name);
}

/** A file that is not a shard report, or does not match the others; the message names the file and the reason. */
export class ShardError extends Error {
  override readonly name = 'ShardError';
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause });
    this.hint = hint;
  }
}
