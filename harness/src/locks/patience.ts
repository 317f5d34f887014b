import type { LivenessConditions } from '../simulator/index.ts';

/**
 * Parts of the bounds on how long a waiter may wait for a key without a holder. Each lock's record combines them. The
 * simulator checks these bounds for healthy clients with a healthy quorum; `holdfast find --property liveness` searches
 * for a schedule that exceeds them.
 */

/** Clocks, and with them timers, may run wrong by up to 30 %. */
export const DRIFT: number = 1.5;
/** A reserve for timers that fire late, and for steps in between. */
export const SPARE_MS: number = 10;

/** The maximum back-off of core after an attempt without a reply. */
export const BACK_OFF_MS: number = 2_000;
/** The maximum time until a waiter on Redis polls again, plus the jitter. */
export const SAFETY_POLL_MS: number = 2_000;
export const JITTER_MS: number = 50;
/** A connection without replies is closed after this time; then the maximum times of a pause and of connecting. */
const REDIS_SILENCE_MS = 4_000;
const REDIS_CONNECT_MS = 2_000;
const REDIS_PAUSE_MS = 1_000;
export const REDIS_LINK_MS: number = REDIS_SILENCE_MS + REDIS_CONNECT_MS + REDIS_PAUSE_MS;

/** The longest time that a simulated slot is on its way. */
export const SLOT_MOVE_MS: number = 2_000;

/**
 * The time that values of a crashed client, or of a late request, stay on a server: a ttl by the server's clock, plus
 * jumps of wall clocks.
 */
export function leftoversMs({ ttlMs, jumpedMs }: LivenessConditions): number {
  return ttlMs + jumpedMs;
}

/**
 * The extra ways of a waiter that has not subscribed when the key is released: the reply to its latest attempt, then
 * connecting, handshake and subscribing on its own connection.
 */
export const REDIS_OPENING_WAYS: number = 6;

export function openingMs(
  { latencyMs, isOpening = false }: LivenessConditions,
  ways: number,
): number {
  return isOpening ? ways * latencyMs : 0;
}

/** True for the counter of fencing tokens, which is kept for a day so that no token is issued twice. */
export function keepsFence(key: string): boolean {
  return key.endsWith(':fence');
}
