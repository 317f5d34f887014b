import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { resource } from '../check/index.ts';
import { type Holder, KEY, type RowWrite } from './subject.ts';

/** A write, and who sent it. */
export interface HolderWrite extends RowWrite {
  readonly holder: Holder;
}

/**
 * Judges the writes in the order in which the store made them: by row, so that no update is lost, and all rows as one resource,
 * which must not accept an older holder after a newer one.
 * @param holders in the order in which the lock was granted
 */
export function judgeWrites(holders: readonly Holder[], writes: readonly HolderWrite[]): Verdict {
  const inOrder = writes.toSorted((a, b) => orderOf(a) - orderOf(b));
  const byRow = historyOf(holders, inOrder, ({ row, readValue }) => ({
    resource: row,
    value: readValue + 1,
    readValue,
  }));
  const asOne = historyOf(holders, inOrder, () => ({ resource: 'all rows' }));
  const verdicts = [byRow, asOne].map((history) => resource(history, { fenced: true }));
  const [first, second] = verdicts;
  if (first === undefined || second === undefined) throw new Error('two verdicts were expected');
  return first.kind === 'ok' ? second : first;
}

function orderOf({ outcome }: HolderWrite): number {
  return outcome === 'refused' ? Number.MAX_SAFE_INTEGER : outcome;
}

type Effect = Pick<
  Extract<HistoryEvent, { readonly type: 'write' }>,
  'resource' | 'value' | 'readValue'
>;

function historyOf(
  holders: readonly Holder[],
  writes: readonly HolderWrite[],
  effectOf: (write: HolderWrite) => Effect,
): readonly HistoryEvent[] {
  const grants = holders.flatMap(({ name, token }) => [
    { client: name, hold: name, type: 'acquire' as const },
    { client: name, hold: name, type: 'granted' as const, validUntilMs: 0, token: `${token}` },
  ]);
  const effects = writes.map((write) => ({
    client: write.holder.name,
    hold: write.holder.name,
    type: 'write' as const,
    accepted: write.outcome !== 'refused',
    fenced: true,
    token: `${write.holder.token}`,
    ...effectOf(write),
  }));
  return [...grants, ...effects].map((event, seq) => ({ ...event, key: KEY, seq, atMs: seq }));
}
