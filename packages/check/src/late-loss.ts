import type { HistoryEvent, Verdict } from '@holdfast/core';
import { ok, shown, violated } from './verdict.ts';

type OfHold = Extract<HistoryEvent, { readonly hold: string }>;

/** However long the lease: whoever may run is told so soon after its own clocks, either of them, say that it is over. */
const TOLD_WITHIN_MS = 1_000;
/** For a timer that fires a moment late. */
const SPARE_MS = 50;

/**
 * Whether everybody was told of a loss soon after the lease was over by its own clocks, or soon after its process could run
 * again. A wall clock that jumps, or a machine that sleeps, ends a lease long before a timer of the monotonic clock fires.
 * Expects a history without flaw.
 */
export function lateLoss(history: readonly HistoryEvent[]): Verdict {
  const claims = new Map<string, OfHold & { readonly validUntilMs: number }>();
  const readyMs = new Map<string, number>();
  for (const event of history) {
    if (event.type === 'paused') {
      const { client, atMs, untilMs } = event;
      readyMs.set(client, Math.max(readyMs.get(client) ?? 0, atMs) + untilMs - atMs);
    } else if (event.type === 'granted' || isAnswered(event)) claims.set(event.hold, event);
    else if (event.type === 'lost') {
      const claim = claims.get(event.hold);
      if (claim === undefined) continue;
      const overMs = Math.max(claim.validUntilMs, readyMs.get(event.client) ?? 0);
      const lateMs = event.atMs - overMs;
      if (lateMs > TOLD_WITHIN_MS + SPARE_MS)
        return violated(
          'answers',
          `${event.client} was told at ${shown(event.atMs)} that it had lost ${event.key}, ${shown(lateMs)} after its lease was over by its own clocks`,
          [claim, event],
        );
    }
  }
  return ok('answers', 'whoever lost a lease was told of it in time');
}

/** What a lease says of itself for the moment only is no claim that outlasts it. */
function isAnswered(
  event: HistoryEvent,
): event is Extract<HistoryEvent, { readonly type: 'renewed' }> {
  return event.type === 'renewed' && event.askedMs !== undefined;
}
