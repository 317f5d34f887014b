import type { CallOptions, Reply } from '@holdfast/redis/port';
import type { Server } from './store.ts';

/** The share of a call's time that is kept for taking back what too few replicas have acknowledged. */
const TAKE_BACK_SHARE = 1 / 4;

/**
 * Returns the options of a call that grants or renews a lease: with `waitReplicas` it counts only once so many replicas
 * have it. A call without an undo takes nothing back: a renewal that only the master has does no harm. `isGranted` is false
 * for replies that promise nothing, and so need no replica.
 */
export function acknowledged(
  { host, waitReplicas }: Server,
  call: Omit<CallOptions, 'acknowledged'>,
  isGranted: (reply: Reply) => boolean,
): CallOptions {
  if (waitReplicas === undefined) return call;
  const { deadlineMs, undo } = call;
  const leftMs = deadlineMs - host.runtime.now().monotonicMs;
  const byMs = undo === undefined ? deadlineMs : deadlineMs - leftMs * TAKE_BACK_SHARE;
  const acknowledgement = { replicas: waitReplicas, byMs, isNeeded: isGranted };
  return { deadlineMs, ...(undo && { undo }), acknowledged: acknowledgement };
}
