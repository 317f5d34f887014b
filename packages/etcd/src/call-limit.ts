import { callDeadlineMs } from '@holdfast/core/backend';

/** No caller waits longer than half the time for which its lease lives. */
const CALL_SHARE = 1 / 2;

/** The time that an attempt, or a renewal of a waiter, may take, in ms; each consists of a few requests. */
export function callLimitMs(ttlMs: number): number {
  return Math.min(callDeadlineMs(undefined), ttlMs * CALL_SHARE);
}
