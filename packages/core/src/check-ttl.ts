import { InvalidOptionError } from './errors.ts';
import { TTL_MS_MAX, TTL_MS_MIN } from './validity.ts';

/**
 * Refuses a ttl that cannot be kept: one call may take a tenth of it, and below 100 ms that is no time for a round trip.
 * @throws InvalidOptionError unless `ttlMs` is a whole number of ms from 100 to 86 400 000
 */
export function checkTtl(ttlMs: number, key: string, backend: string): void {
  if (Number.isInteger(ttlMs) && ttlMs >= TTL_MS_MIN && ttlMs <= TTL_MS_MAX) return;
  const range = `a whole number of ms from ${TTL_MS_MIN} to ${TTL_MS_MAX}`;
  const message = `${backend}: ttlMs must be ${range}, not ${ttlMs}`;
  throw new InvalidOptionError(message, { key, backend });
}
