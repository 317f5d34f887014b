import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { ok, shown, violated } from './verdict.ts';

type ValidityClaim = Extract<HistoryEvent, { readonly validUntilMs: number }>;

/** The maximum time from the end of a lease, by either of its holder's clocks, to the report, for a process that can run. */
const REPORT_WITHIN_MS = 1_000;
/** For a timer that fires a moment late. */
const SPARE_MS = 50;

/**
 * Judges if every client learned of a loss soon after its lease ended by its own clocks, or soon after its process could
 * run again. A jump of the wall clock, or a suspended machine, ends a lease long before a timer of the monotonic clock
 * fires. Expects a history without flaw.
 */
export function lateLoss(history: readonly HistoryEvent[]): Verdict {
  const claims = new Map<string, ValidityClaim>();
  /** For each client, from when its process can run again. */
  const ready = new Map<string, number>();
  for (const event of history) {
    if (isClaim(event)) claims.set(event.hold, event);
    else if (event.type === 'paused') {
      // A pause that begins within another extends it.
      const from = Math.max(ready.get(event.client) ?? 0, event.atMs);
      ready.set(event.client, from + event.untilMs - event.atMs);
    } else if (event.type === 'lost') {
      const claim = claims.get(event.hold);
      if (claim === undefined) continue;
      const { client, key, atMs } = event;
      const lateMs = atMs - Math.max(claim.validUntilMs, ready.get(client) ?? 0);
      if (lateMs > REPORT_WITHIN_MS + SPARE_MS)
        return violated(
          'answers',
          `the lock reported to ${client} at ${shown(atMs)} that it had lost ${key}, ${shown(lateMs)} after its lease had ended by its own clocks`,
          [claim, event],
        );
    }
  }
  return ok('answers', 'every client that lost a lease learned of it in time');
}

/** A `renewed` event without a request only states what the lease's clock shows at that moment. */
function isClaim(event: HistoryEvent): event is ValidityClaim {
  return event.type === 'granted' || (event.type === 'renewed' && event.askedMs !== undefined);
}
