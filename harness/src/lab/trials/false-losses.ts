import type { HistoryEvent } from '@holdfast/core';
import type { TrialRecord } from './trial-record.ts';

type LostEvent = Extract<HistoryEvent, { readonly type: 'lost' }>;
type History = TrialRecord['history'];

/**
 * Leases that were lost after the strike, which is at 0, by somebody whom nothing had struck and in whose place nobody
 * had been granted the key yet: without a need. The holder counts where the fault struck servers and not it.
 */
export function falseLosses({ history, faulted, renews }: TrialRecord): readonly LostEvent[] {
  return history.filter(
    (event): event is LostEvent =>
      event.type === 'lost' &&
      event.atMs > 0 &&
      !faulted.includes(event.client) &&
      // What nobody renews ends by itself.
      (renews || event.reason !== 'deadline') &&
      !isTaken(event, history),
  );
}

/** Whether somebody else was granted the key since. */
function isTaken({ client, hold, atMs }: LostEvent, history: History): boolean {
  const sinceMs = history.find((event) => event.type === 'granted' && event.hold === hold)?.atMs;
  return history.some(
    (event) =>
      event.type === 'granted' &&
      event.client !== client &&
      event.atMs > (sinceMs ?? 0) &&
      event.atMs <= atMs,
  );
}
