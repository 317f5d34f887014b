import type { Requirement } from './capabilities.ts';

/** Options of a lease. */
export interface HoldOptions {
  /**
   * Crash-to-takeover time in integer ms, 100 to 86 400 000; default 30 000. On session backends it causes a
   * CapabilityError: there it is an option of opening.
   */
  readonly ttlMs?: number | undefined;
  /** False: the lease is never renewed, so it ends after `ttlMs`. Default: true, if the backend can renew. */
  readonly renew?: boolean | undefined;
  /** The lease ends after this many ms, however often it is renewed. Default: no cap. */
  readonly maxHoldMs?: number | undefined;
  /** Its abort ends the wait. It does not affect a lease that is held already. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a call that waits, and of its lease. */
export interface AcquireOptions extends HoldOptions {
  /** Limit of the wait, in ms; default 10 000. 0 makes one attempt; Infinity must be written explicitly. */
  readonly waitMs?: number | undefined;
}

/** Options of `tryUse`. */
export interface TryUseOptions extends HoldOptions {
  /**
   * The key stays taken for at least this many ms from the grant, even if the job ends sooner. So a late replica finds
   * it taken. A job that ran longer, or threw, releases normally. Needs a backend with a ttl per call and renewal.
   */
  readonly keepMs?: number | undefined;
}

/** Options of `elect`. */
export interface ElectOptions {
  /** As in {@link HoldOptions.ttlMs}: how long a leader that crashed keeps the key. */
  readonly ttlMs?: number | undefined;
  /** A term ends after this many ms: the lease is lost, and the body has to stop. Default: no limit. */
  readonly maxHoldMs?: number | undefined;
  /** Its abort ends the election. A body that leads then is waited for: give it this signal, too. */
  readonly signal?: AbortSignal | undefined;
}

/** Defaults and requirements of a `Locks`. */
export interface LocksOptions<R extends readonly Requirement[] = readonly Requirement[]> {
  /** Promises that the code relies on. @throws CapabilityError at once if the backend does not make one of them */
  readonly require?: R | undefined;
  /** The default of {@link HoldOptions.ttlMs}. */
  readonly ttlMs?: number | undefined;
  /** The default of {@link AcquireOptions.waitMs}. */
  readonly waitMs?: number | undefined;
  /** The default of {@link HoldOptions.renew}. */
  readonly renew?: boolean | undefined;
  /** The default of {@link HoldOptions.maxHoldMs}. */
  readonly maxHoldMs?: number | undefined;
}

/** Options of `Locks.close`. */
export interface CloseOptions {
  /** Time limit of the whole call, in ms; default 5 000. */
  readonly timeoutMs?: number | undefined;
}
