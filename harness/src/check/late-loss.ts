import type { HistoryEvent, Verdict } from '@holdfast/core';
import { ok, shown, violated } from './verdict.ts';

type ValidityClaim = Extract<HistoryEvent, { readonly validUntilMs: number }>;

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
  const claims = new Map<string, ValidityClaim>();
  /** When each client's process can run again. */
  const ready = new Map<string, number>();
  for (const event of history) {
    if (isClaim(event)) claims.set(event.hold, event);
    else if (event.type === 'paused') {
      // One that begins within another adds to it.
      const from = Math.max(ready.get(event.client) ?? 0, event.atMs);
      ready.set(event.client, from + event.untilMs - event.atMs);
    } else if (event.type === 'lost') {
      const claim = claims.get(event.hold);
      if (claim === undefined) continue;
      const { client, key, atMs } = event;
      const lateMs = atMs - Math.max(claim.validUntilMs, ready.get(client) ?? 0);
      if (lateMs > TOLD_WITHIN_MS + SPARE_MS)
        return violated(
          'answers',
          `${client} was told at ${shown(atMs)} that it had lost ${key}, ${shown(lateMs)} after its lease was over by its own clocks`,
          [claim, event],
        );
    }
  }
  return ok('answers', 'every client that lost a lease learned of it in time');
}

/** What a lease says of itself for the moment only is no claim that outlasts it. */
function isClaim(event: HistoryEvent): event is ValidityClaim {
  return event.type === 'granted' || (event.type === 'renewed' && event.askedMs !== undefined);
}
