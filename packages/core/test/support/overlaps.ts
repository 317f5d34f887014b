import type { HistoryEvent } from '@holdfast/core/backend';

/** A stretch of time, closed-open, in which a lease was valid. */
interface Span {
  readonly hold: string;
  readonly key: string;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Finds pairs of leases of one key that were valid at once; returns sentences. */
export function overlaps(history: readonly HistoryEvent[]): string[] {
  const spans = validSpans(history).toSorted((a, b) => a.fromMs - b.fromMs);
  return spans.flatMap((span, index) =>
    spans
      .slice(index + 1)
      .filter(
        ({ key, hold, fromMs }) => key === span.key && hold !== span.hold && fromMs < span.untilMs,
      )
      .map(
        ({ hold, fromMs }) =>
          `${span.hold} was valid until ${span.untilMs}, and ${hold} from ${fromMs}`,
      ),
  );
}

/** One span for the grant and one for each renewal, cut at the end of the holder's belief. */
function validSpans(history: readonly HistoryEvent[]): Span[] {
  const endMs = new Map<string, number>();
  for (const event of history) {
    if (event.type !== 'lost' && event.type !== 'release') continue;
    endMs.set(event.hold, Math.min(event.atMs, endMs.get(event.hold) ?? Number.POSITIVE_INFINITY));
  }
  return history.flatMap((event) => {
    if (event.type !== 'granted' && event.type !== 'renewed') return [];
    const { hold, key, atMs: fromMs, validUntilMs } = event;
    const untilMs = Math.min(validUntilMs, endMs.get(hold) ?? Number.POSITIVE_INFINITY);
    return fromMs < untilMs ? [{ hold, key, fromMs, untilMs }] : [];
  });
}
