import type { Validity } from './port.ts';
import type { Runtime } from './runtime.ts';

/** Default time for which a lease outlives the crash of its holder. */
export const TTL_MS_DEFAULT = 30_000;
/** Below this, drift and round trips use up the lease. */
export const TTL_MS_MIN = 100;
/** A day. */
export const TTL_MS_MAX = 86_400_000;
/** Limit of one call to a node, however long the lease. */
const CALL_MS_MAX = 2_000;
/** Share of a ttl that one call to a node may take. */
const CALL_SHARE = 1 / 10;
/** Rates of clocks may differ by one in a hundred; 2 ms cover the store's rounding (Redlock, "drift"). */
const DRIFT_SHARE = 1 / 100;
const DRIFT_MS_MIN = 2;

/**
 * A lease with less time left is over. If a validity is not a whole number of ms, sums of clock readings leave such
 * remainders. Added to a clock reading they vanish, so that a deadline at the end would fire at once, without end.
 */
const LEFT_MS_MIN = 1e-6;

/**
 * The deduction from a ttl, in ms, because two clocks never run at exactly one rate.
 * @example
 * ```ts
 * driftMs(30_000); // 302
 * ```
 */
export function driftMs(ttlMs: number): number {
  return ttlMs * DRIFT_SHARE + DRIFT_MS_MIN;
}

/**
 * The validity of a lease of `ttlMs`, counted from the send time of its request; in ms.
 * @example
 * ```ts
 * const from = host.runtime.now(); // before the request is sent
 * const validity = { from, ms: validityMs(30_000) }; // 29 698 ms from then
 * ```
 */
export function validityMs(ttlMs: number): number {
  return Math.max(0, ttlMs - driftMs(ttlMs));
}

/** A lease is renewed at a third of its ttl: two more attempts fit in before it ends. */
const RENEW_SHARE = 1 / 3;
/**
 * A lease that began with less than its ttl is renewed sooner: this share of a ttl must be left for a renewal and one
 * more attempt.
 */
const SPARE_SHARE = 1 / 5;

/**
 * The time from the start of a validity to its renewal, in ms.
 * @example
 * ```ts
 * renewAfterMs(validityMs(30_000), 30_000); // 10 000
 * ```
 */
export function renewAfterMs(validForMs: number, ttlMs: number): number {
  const spareMs = Math.max(0, validForMs - ttlMs * SPARE_SHARE);
  return Math.min(ttlMs * RENEW_SHARE, spareMs);
}

/** The shortest ttl that is valid for at least `ms`; in whole ms. */
export function ttlMsFor(ms: number): number {
  return Math.ceil((ms + DRIFT_MS_MIN) / (1 - DRIFT_SHARE));
}

/**
 * The time limit of one call to one node, in ms. `ttlMs` is undefined on session backends.
 * @example
 * ```ts
 * const { monotonicMs } = host.runtime.now();
 * const callEndMs = Math.min(deadlineMs, monotonicMs + callDeadlineMs(ttlMs));
 * ```
 */
export function callDeadlineMs(ttlMs: number | undefined): number {
  return ttlMs === undefined ? CALL_MS_MAX : Math.min(CALL_MS_MAX, ttlMs * CALL_SHARE);
}

/**
 * The rest of a validity, by the clock that says less; never negative.
 * @example
 * ```ts
 * const leftMs = remainingMs(grant.validity, host.runtime);
 * if (leftMs === 0) log('the lease has expired');
 * ```
 */
export function remainingMs(validity: Validity, runtime: Runtime): number {
  const leftMs = validity.ms - runtime.elapsedMs(validity.from);
  return leftMs < LEFT_MS_MIN ? 0 : leftMs;
}
