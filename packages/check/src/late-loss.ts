import type { HistoryEvent, Verdict } from '@holdfast/core';
import { ok, shown, violated } from './verdict.ts';

type Claim = Extract<HistoryEvent, { readonly validUntilMs: number }>;

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
  for (const [at, event] of history.entries()) {
    if (event.type !== 'lost') continue;
    const before = history.slice(0, at);
    const claim = before.findLast((each) => isClaim(each) && each.hold === event.hold);
    if (claim === undefined || !isClaim(claim)) continue;
    const { client, key, atMs } = event;
    const lateMs = atMs - Math.max(claim.validUntilMs, readyMs(before, client));
    if (lateMs > TOLD_WITHIN_MS + SPARE_MS)
      return violated(
        'answers',
        `${client} was told at ${shown(atMs)} that it had lost ${key}, ${shown(lateMs)} after its lease was over by its own clocks`,
        [claim, event],
      );
  }
  return ok('answers', 'whoever lost a lease was told of it in time');
}

/** When a client's process could run again after all its pauses; one that begins within another adds to it. */
function readyMs(history: readonly HistoryEvent[], client: string): number {
  let ready = 0;
  for (const event of history)
    if (event.type === 'paused' && event.client === client)
      ready = Math.max(ready, event.atMs) + event.untilMs - event.atMs;
  return ready;
}

/** What a lease says of itself for the moment only is no claim that outlasts it. */
function isClaim(event: HistoryEvent): event is Claim {
  return event.type === 'granted' || (event.type === 'renewed' && event.askedMs !== undefined);
}
