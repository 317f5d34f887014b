import type { HistoryEvent, HoldMode, Verdict } from '@holdfast/core/backend';
import { doubted, flawOf } from './flaw.ts';
import { validSpans } from './mutual-exclusion.ts';
import { firstOverlap, type Overlap, proofOf, type Span } from './span.ts';
import { ok, shown, violated } from './verdict.ts';

type Enter = Extract<HistoryEvent, { readonly type: 'enter' }>;

/**
 * Judges if two critical sections of one key ever overlapped. A section lasts from `enter` to `exit`, the release, or the
 * crash of the process. A lock that expires cannot prevent an overlap: a holder that was paused past its lease is late.
 */
export function belief(history: readonly HistoryEvent[]): Verdict {
  return doubted(flawOf(history), 'belief') ?? judgeBelief(history);
}

/** Expects a history without flaw. */
export function judgeBelief(history: readonly HistoryEvent[]): Verdict {
  const spans = believedSpans(history);
  const overlap = firstOverlap(spans);
  if (overlap !== undefined)
    return violated('belief', describe(overlap, history), proofOf(overlap));
  return ok('belief', `no two of ${spans.length} critical sections overlapped`);
}

/** One span for each critical section. Expects a history without flaw. */
export function believedSpans(history: readonly HistoryEvent[]): readonly Span[] {
  const inside = new Map<string, Enter>();
  const modes = new Map<string, HoldMode>();
  const spans: Span[] = [];
  const leave = (enter: Enter, by?: HistoryEvent): void => {
    inside.delete(enter.hold);
    spans.push({ ...span(enter, by), mode: modes.get(enter.hold) });
  };
  for (const event of history) {
    if (event.type === 'granted' && event.mode !== undefined) modes.set(event.hold, event.mode);
    if (event.type === 'enter') inside.set(event.hold, event);
    for (const enter of inside.values()) if (endsBelief(event, enter)) leave(enter, event);
  }
  for (const enter of inside.values()) leave(enter);
  return spans;
}

function endsBelief(event: HistoryEvent, enter: Enter): boolean {
  if (event.type === 'crashed') return event.client === enter.client;
  return (event.type === 'exit' || event.type === 'release') && event.hold === enter.hold;
}

function span(enter: Enter, by: HistoryEvent | undefined): Span {
  const { key, client, hold, atMs } = enter;
  const proof = by === undefined ? [enter] : [enter, by];
  return { key, client, hold, fromMs: atMs, untilMs: by?.atMs ?? Number.POSITIVE_INFINITY, proof };
}

/** Says first if the lock broke or the holder was late. */
function describe(
  { key, first, second, fromMs }: Overlap,
  history: readonly HistoryEvent[],
): string {
  const valid = validSpans(history).some(
    ({ hold, fromMs: start, untilMs }) =>
      hold === first.hold && start <= fromMs && fromMs < untilMs,
  );
  const blame = valid ? 'its lease was still valid' : 'its lease had ended: a late holder';
  return `${second.client} entered ${key} at ${shown(fromMs)} while ${first.client} was inside; ${blame}`;
}
