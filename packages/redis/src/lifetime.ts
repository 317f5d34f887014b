import { callDeadlineMs, driftMs, type Instant, type Runtime } from '@holdfast/core';

/** By when a key written by one call must be gone: an estimate, since a network may deliver a request at any time. */
export interface Lifetime {
  /** When the call left. */
  readonly from: Instant;
  readonly ms: number;
}

/** The call may land until its deadline; the key then lives for the ttl, by a clock that may run slower than ours. */
export function lifetimeOf(from: Instant, ttlMs: number): Lifetime {
  return { from, ms: callDeadlineMs(ttlMs) + ttlMs + driftMs(ttlMs) };
}

/**
 * How much longer the key may stand; never negative. By the monotonic clock alone: a wall clock that jumps ahead does
 * not let the store's time pass, and what is forgotten too early nobody gives back.
 */
export function leftMs({ from, ms }: Lifetime, runtime: Runtime): number {
  return Math.max(0, ms - (runtime.now().monotonicMs - from.monotonicMs));
}
