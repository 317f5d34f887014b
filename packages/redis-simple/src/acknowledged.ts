import type { CallOptions, Reply } from '@holdfast/redis/port';
import type { Store } from './store.ts';

/** The share of a call's time that is kept for taking back what too few replicas have acknowledged. */
const TAKE_BACK_SHARE = 1 / 4;

export interface GrantingCallOptions extends Omit<CallOptions, 'acknowledged'> {
  /** False if nothing is taken back: a renewal that only the master has does no harm. */
  readonly takesBack: boolean;
}

/**
 * Returns the options of a call that grants or renews a lease: with `waitReplicas` it counts only once so many replicas
 * have it. `isGranted` is false for replies that promise nothing, and so need no replica.
 */
export function acknowledged(
  { host, waitReplicas }: Store,
  { takesBack, deadlineMs, undo }: GrantingCallOptions,
  isGranted: (reply: Reply) => boolean,
): CallOptions {
  const options = undo === undefined ? { deadlineMs } : { deadlineMs, undo };
  if (waitReplicas === undefined) return options;
  const leftMs = deadlineMs - host.runtime.now().monotonicMs;
  const byMs = takesBack ? deadlineMs - leftMs * TAKE_BACK_SHARE : deadlineMs;
  return { ...options, acknowledged: { replicas: waitReplicas, byMs, isNeeded: isGranted } };
}
