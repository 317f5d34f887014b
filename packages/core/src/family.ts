import { LockError } from './errors.ts';
import type { Attempt, HoldMode, Host } from './port.ts';

/** How long a place in a line of readers and writers, or for permits, outlasts its latest attempt; at most 3 s. */
const PLACE_MS_MAX = 3_000;
/** Below the ttl, so that a waiter that died delays others for less than a holder that died. */
const PLACE_SHARE = 3 / 4;
/** Attempts within the life of a place. */
const ATTEMPTS = 3;

/**
 * How long a place in line outlasts its latest attempt, in ms, for leases of `ttlMs`.
 * @example
 * ```ts
 * placeMs(30_000); // 3 000
 * ```
 */
export function placeMs(ttlMs: number): number {
  return Math.min(PLACE_MS_MAX, Math.floor(ttlMs * PLACE_SHARE));
}

/**
 * The outcome for a contender that has a place in line: its next attempt comes in time to keep that.
 * @example
 * ```ts
 * placedBusy(20_000, ttlMs); // { kind: 'busy', holderRemainingMs: 20 000, retryAfterMs: 1 000 }
 * ```
 */
export function placedBusy(holderRemainingMs: number, ttlMs: number): Attempt {
  const pollMs = placeMs(ttlMs) / ATTEMPTS;
  // The key is free, and is to go to somebody in front.
  if (holderRemainingMs <= 0) return { kind: 'busy', retryAfterMs: pollMs };
  return { kind: 'busy', holderRemainingMs, retryAfterMs: Math.min(holderRemainingMs, pollMs) };
}

/** The owner value under a key that several hold: for clients that know only exclusive holds. No contender has this id. */
export const MARKERS = {
  shared: '-shared:1:readers',
  permits: '-permits:1:holders of permits',
} as const;

const USED_AS = { shared: 'by readers', permits: 'by holders of permits' } as const;

/**
 * The error for a key that is used as two kinds of lock. It is left as it is.
 * @example
 * ```ts
 * const error = otherModeError({ key: 'orders/42', backend: 'redis-simple' }, 'shared');
 * ```
 */
export function otherModeError(
  where: { readonly key: string; readonly backend: string },
  holds: 'shared' | 'permits',
): LockError {
  const message = `'${where.key}' is held ${USED_AS[holds]}: one key is either a lock with readers or a semaphore`;
  return new LockError('OTHER_MODE', message, where);
}

/**
 * Emits a warning if a holder knows of another number of permits, `otherOf`, than this contender; returns true then.
 * @example
 * ```ts
 * const mode = { kind: 'permits', permits: 1, of: 4 } as const;
 * warnIfPermitsDiffer(host, { key: 'imports', backend: 'redis-simple' }, mode, 3);
 * ```
 */
export function warnIfPermitsDiffer(
  host: Host,
  { key, backend }: { readonly key: string; readonly backend: string },
  mode: HoldMode | undefined,
  otherOf: number | undefined,
): boolean {
  if (mode?.kind !== 'permits' || !Number.isFinite(otherOf) || otherOf === mode.of) return false;
  const message = `'${key}' is used with ${mode.of} permits here, and with ${otherOf} by a holder: the smaller number counts until it releases`;
  host.emit({ type: 'warning', backend, code: 'PERMITS_DIFFER', message, key });
  return true;
}
