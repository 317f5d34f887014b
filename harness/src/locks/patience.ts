import type { LivenessConditions } from '../simulator/index.ts';

/**
 * Parts of the bounds on how long a waiter may have to wait for a key that has no holder. Each lock's record makes its
 * own of them. The simulator demands these bounds of healthy clients beside a healthy quorum; `holdfast find --property
 * liveness` searches for a schedule that exceeds them.
 */

/** Clocks may run wrong by up to 30 %, and so do timers then. */
export const DRIFT: number = 1.5;
/** For timers that fire a moment late, and steps in between. */
export const SPARE_MS: number = 10;

/** Without an answer core tries again after this at the latest. */
export const BACK_OFF_MS: number = 2_000;
/** A waiter on Redis looks again after this at the latest, and comes back spread over the jitter. */
export const SAFETY_POLL_MS: number = 2_000;
export const JITTER_MS: number = 50;
/** A link on which nothing is answered is given up after this; dialling takes so long at most, and pauses so long. */
const REDIS_SILENCE_MS = 4_000;
const REDIS_CONNECT_MS = 2_000;
const REDIS_PAUSE_MS = 1_000;
export const REDIS_LINK_MS: number = REDIS_SILENCE_MS + REDIS_CONNECT_MS + REDIS_PAUSE_MS;

/**
 * What a dead client, or a request that landed late, left on a server stays for a ttl by the server's clock; jumps of
 * wall clocks can make that longer.
 */
export function leftoversMs({ ttlMs, jumpedMs }: LivenessConditions): number {
  return ttlMs + jumpedMs;
}

/**
 * A waiter that has not subscribed yet as the key is released: the answer to its latest attempt, then dialling, greeting
 * and subscribing on a connection of its own. What comes next is as for any other waiter.
 */
export const REDIS_OPENING_WAYS: number = 6;

export function openingMs(
  { latencyMs, isOpening = false }: LivenessConditions,
  ways: number,
): number {
  return isOpening ? ways * latencyMs : 0;
}

/** Fencing tokens live on for a day, so that none is given out twice. */
export function keepsFence(key: string): boolean {
  return key.endsWith(':fence');
}
