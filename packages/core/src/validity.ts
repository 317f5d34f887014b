import type { Validity } from './port.ts';
import type { Runtime } from './runtime.ts';

/** How long a lease lives on when its holder crashes, unless told otherwise. */
export const TTL_MS_DEFAULT = 30_000;
/** Below this, drift and round trips eat the lease. */
export const TTL_MS_MIN = 100;
/** A day. */
export const TTL_MS_MAX = 86_400_000;
/** No single call to a node may take longer than this, however long the lease. */
const CALL_MS_MAX = 2_000;
/** Share of a ttl that one call to a node may take. */
const CALL_SHARE = 1 / 10;
/** Clocks may run at rates that differ by one in a hundred; 2 ms cover the store's rounding (Redlock, "drift"). */
const DRIFT_SHARE = 1 / 100;
const DRIFT_MS_MIN = 2;

/**
 * A lease with less left is over. Where a validity is no whole number of ms, sums of clock readings leave such crumbs;
 * added to a reading they vanish, so that an alarm set for the end would ring at once, and again, for ever.
 */
const LEFT_MS_MIN = 1e-6;

/** What is taken off a ttl because two clocks never run at the same rate; in ms. */
export function driftMs(ttlMs: number): number {
  return ttlMs * DRIFT_SHARE + DRIFT_MS_MIN;
}

/** How long, from the moment the request left, a holder may believe in a lease of `ttlMs`. */
export function validityMs(ttlMs: number): number {
  return Math.max(0, ttlMs - driftMs(ttlMs));
}

/** The shortest ttl that is valid for at least `ms`; in whole ms. */
export function ttlMsFor(ms: number): number {
  return Math.ceil((ms + DRIFT_MS_MIN) / (1 - DRIFT_SHARE));
}

/** How long one call to one node may take; in ms. `ttlMs` is undefined on session backends. */
export function callDeadlineMs(ttlMs: number | undefined): number {
  return ttlMs === undefined ? CALL_MS_MAX : Math.min(CALL_MS_MAX, ttlMs * CALL_SHARE);
}

/** What is left of a validity, by whichever clock says less; never negative. */
export function remainingMs(validity: Validity, runtime: Runtime): number {
  const leftMs = validity.ms - runtime.elapsedMs(validity.from);
  return leftMs < LEFT_MS_MIN ? 0 : leftMs;
}
