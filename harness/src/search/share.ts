import { BATCH } from '../simulator/index.ts';

/** Part of a search: every `of`-th batch of its schedules, from batch `first`. */
export interface Share {
  readonly first: number;
  readonly of: number;
}

export const WHOLE: Share = { first: 0, of: 1 };

/** The part of the `nth`, from 0, of `among` workers that divide a share. */
export function subShare(share: Share, nth: number, among: number): Share {
  return { first: share.first + share.of * nth, of: share.of * among };
}

/** The batches of a share with schedules after number `after`, up to number `until`. */
export function* batchesOf(
  { first, of }: Share,
  after: number,
  until: () => number,
): Generator<number> {
  const passed = Math.max(0, Math.ceil((Math.floor(after / BATCH) - first) / of));
  for (let batch = first + passed * of; batch * BATCH < until(); batch += of) yield batch;
}

/** The number of schedules of a share among the first `budget`; computed, because there may be billions. */
export function sizeOf(budget: number, { first, of }: Share): number {
  const full = Math.floor(budget / BATCH);
  const own = Math.max(0, Math.ceil((full - first) / of)) * BATCH;
  const isLastOwn = full >= first && (full - first) % of === 0;
  return own + (isLastOwn ? budget % BATCH : 0);
}
