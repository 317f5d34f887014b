import type { AcquireOptions } from './api/options.ts';
import type { LockError } from './errors.ts';
import type { HoldMode } from './port.ts';
import { TTL_MS_DEFAULT } from './validity.ts';

const WAIT_MS_DEFAULT = 10_000;

/** The request of a caller, with every default filled in. */
export interface LeaseRequest {
  readonly key: string;
  /** Ignored on session backends. */
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly renew: boolean;
  readonly maxHoldMs: number;
  /** True if the key shall stay taken after the job. */
  readonly retains: boolean;
  /** The exported lease to adopt, instead of a free key to acquire. */
  readonly exported?: string | undefined;
  /** Absent: exclusively, as every lock. */
  readonly mode?: HoldMode | undefined;
  /** Present for a part of a lease on several keys. */
  readonly part?: Part | undefined;
}

/** What a lease on several keys adds to each of its parts. */
export interface Part {
  /** Start of the whole wait, by the monotonic clock. */
  readonly startedMs: number;
  readonly onAbort: (reason: LockError) => void;
}

/** A request for keys that are not named yet: `key` is empty. */
export type KeylessRequest = Omit<LeaseRequest, 'key' | 'part'>;

/** What a request asks for besides a free key; it goes over what the caller says. */
export type RequestKind = Partial<
  Pick<LeaseRequest, 'retains' | 'exported' | 'waitMs' | 'mode' | 'renew' | 'maxHoldMs'>
>;

/** Fills in the defaults of the locks, and then those of this library. */
export function requestOf(
  key: string,
  options: AcquireOptions,
  defaults: AcquireOptions,
  kind?: RequestKind,
): LeaseRequest {
  const { ttlMs, waitMs, renew, maxHoldMs } = defaults;
  return {
    key,
    waitMs: kind?.waitMs ?? options.waitMs ?? waitMs ?? WAIT_MS_DEFAULT,
    retains: kind?.retains ?? false,
    exported: kind?.exported,
    mode: kind?.mode,
    ttlMs: options.ttlMs ?? ttlMs ?? TTL_MS_DEFAULT,
    renew: kind?.renew ?? options.renew ?? renew ?? true,
    maxHoldMs: kind?.maxHoldMs ?? options.maxHoldMs ?? maxHoldMs ?? Number.POSITIVE_INFINITY,
  };
}
