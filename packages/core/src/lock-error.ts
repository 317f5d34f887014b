/** Details that every error of a lock carries. */
export interface LockErrorDetails {
  /** The key that the call was about. */
  readonly key?: string | undefined;
  /** The name of the backend. */
  readonly backend?: string | undefined;
  /** The error below this one, for example of a client library. */
  readonly cause?: unknown;
}

/** What a store refuses for good: the key, the user, or the kind of server. */
type RefusalCode =
  | 'FOREIGN_KEY'
  | 'QUEUE_FULL'
  | 'SEQUENCE_END'
  | 'NO_AUTH'
  | 'OLD_SERVER'
  | 'NOPERM'
  | 'NOAUTH'
  | 'WRONGPASS'
  | 'DENIED'
  | 'MOVED'
  | 'ASK'
  | 'CROSSSLOT'
  | 'WRONGTYPE'
  | 'ERR';

/** The codes of errors; they are stable. `docs/guides/errors-and-events.md` says what each means and what to do. */
export type LockErrorCode =
  | 'LOCK_TIMEOUT'
  | 'LOCK_LOST'
  | 'OUTCOME_UNKNOWN'
  | 'BACKEND_UNAVAILABLE'
  | 'CAPABILITY'
  | 'CONFIG'
  | 'INVALID_KEY'
  | 'INVALID_OPTION'
  | 'CONCURRENT_REENTRY'
  | 'CLOSED'
  | 'CLOSING'
  | 'NO_TOKEN'
  | 'FENCING_EPOCH'
  | 'STALE_TOKEN'
  | 'OTHER_MODE'
  | 'WRITE_UNKNOWN'
  | RefusalCode;

/** Of the global registry, so that the errors of every copy of this library have it. */
export const BRAND: symbol = Symbol.for('holdfast.LockError');

/**
 * Any error of this library. `code` is stable and meant for programs, the message for people.
 * @example
 * ```ts
 * try {
 *   await locks.use('orders/42', () => charge(order));
 * } catch (error) {
 *   if (!(error instanceof LockError)) throw error; // the body's own error
 *   log(error.code, error.key, error.message);
 * }
 * ```
 */
export class LockError extends Error {
  static {
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }

  override readonly name: string = 'LockError';
  /** Stable, for programs. */
  readonly code: LockErrorCode;
  /** The key that the call was about; undefined if it was about none. */
  readonly key: string | undefined;
  /** The name of the backend; undefined if none was opened yet. */
  readonly backend: string | undefined;

  constructor(code: LockErrorCode, message: string, details: LockErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.key = details.key;
    this.backend = details.backend;
  }
}
