import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { type Write, writesOf } from './updates.ts';

/**
 * Judges a lock that claims no validity, by the order at a resource alone: a holder reads a counter, and later writes
 * it one higher, so a write that does not follow the value it read fell into the turn of another. If one of the two was
 * paused, or its write was held back on its way, it came late, which no lock prevents; otherwise the lock let two in.
 * @param heldBack the clients whose writes were held back
 */
export function judgeResourceOrder(
  history: readonly HistoryEvent[],
  heldBack: readonly string[] = [],
): { readonly validity: Verdict; readonly belief: Verdict } {
  const pairs = mixedTurns(history);
  const isLate = (pair: Pair): boolean =>
    pair.some((write) => heldBack.includes(write.client) || wasPaused(write, history));
  return {
    validity: verdict(
      'validity',
      pairs.find((pair) => !isLate(pair)),
    ),
    belief: verdict('belief', pairs[0]),
  };
}

/** A write, and the write of another client between it and the read that it was computed from. */
type Pair = readonly [Write, Write];

function mixedTurns(history: readonly HistoryEvent[]): readonly Pair[] {
  const writes = writesOf(history, false).filter(({ accepted }) => accepted);
  return writes.flatMap((write, at): readonly Pair[] => {
    const before = writes[at - 1];
    return before === undefined || write.readValue === before.value ? [] : [[before, write]];
  });
}

/** True if it was paused between its grant and its write. Paused before its grant, it could have known. */
function wasPaused({ client, hold, atMs }: Write, history: readonly HistoryEvent[]): boolean {
  const sinceMs = history.find((event) => event.type === 'granted' && event.hold === hold)?.atMs;
  return history.some(
    (event) =>
      event.type === 'paused' &&
      event.client === client &&
      event.atMs >= (sinceMs ?? 0) &&
      event.atMs <= atMs,
  );
}

function verdict(property: Verdict['property'], pair: Pair | undefined): Verdict {
  if (pair === undefined)
    return { property, kind: 'ok', message: 'every write followed the value it read', proof: [] };
  const [{ client: first }, { client: second, readValue, value }] = pair;
  return {
    property,
    kind: 'violated',
    message: `${second} read ${readValue}, ${first} wrote, and ${second} wrote ${value} all the same`,
    proof: pair,
  };
}
