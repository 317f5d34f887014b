import { callDeadlineMs, renewAfterMs } from '@holdfast/core/backend';
import type { EndingTimes } from './ending.ts';

const GRACE_MS_DEFAULT = 10_000;
/** Share of the ttl between SIGKILL and the end of the lease. */
const MARGIN_SHARE = 1 / 20;
const MARGIN_MS_MIN = 10;
const MARGIN_MS_MAX = 1_000;

/**
 * The longest grace that ends no healthy command: half of the least that is ever left of a lease whose renewals succeed.
 * The other half is for a renewal that comes late.
 * @param validMs the validity of a lease when it begins
 */
export function graceLimitMs(validMs: number, leaseMs: number): number {
  const leastMs = validMs - renewAfterMs(validMs, leaseMs) - callDeadlineMs(leaseMs);
  return Math.max(0, Math.floor(leastMs / 2));
}

/** How a command under a lease is ended: with the grace that was asked for, or the default within the limit. */
export function endingTimes(
  graceMs: number | undefined,
  limitMs: number,
  leaseMs: number,
): EndingTimes {
  const marginMs = Math.min(MARGIN_MS_MAX, Math.max(MARGIN_MS_MIN, leaseMs * MARGIN_SHARE));
  return { graceMs: graceMs ?? Math.min(GRACE_MS_DEFAULT, limitMs), marginMs };
}
