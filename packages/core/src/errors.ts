import { BRAND, LockError, type LockErrorCode, type LockErrorDetails } from './lock-error.ts';

export { LockError, type LockErrorCode, type LockErrorDetails } from './lock-error.ts';

/** The class of each code that has one of its own. */
interface ErrorsByCode {
  readonly LOCK_TIMEOUT: LockTimeoutError;
  readonly LOCK_LOST: LockLostError;
  readonly OUTCOME_UNKNOWN: OutcomeUnknownError;
  readonly BACKEND_UNAVAILABLE: BackendUnavailableError;
  readonly CAPABILITY: CapabilityError;
  readonly CONFIG: ConfigError;
  readonly INVALID_KEY: InvalidKeyError;
  readonly INVALID_OPTION: InvalidOptionError;
  readonly CONCURRENT_REENTRY: ConcurrentReentryError;
}

/** The type of an error with this code. */
export type LockErrorOf<C extends LockErrorCode> = C extends keyof ErrorsByCode
  ? ErrorsByCode[C]
  : LockError & { readonly code: C };

/**
 * True for an error of this library, also of another copy of it or another realm, where `instanceof` fails. With a
 * `code` only for errors of that code, whose type is then known.
 * @example
 * ```ts
 * if (isLockError(error, 'LOCK_TIMEOUT')) log(`held for ${error.holderRemainingMs} ms more`);
 * ```
 */
export function isLockError(error: unknown): error is LockError;
export function isLockError<const C extends LockErrorCode>(
  error: unknown,
  code: C,
): error is LockErrorOf<C>;
export function isLockError(error: unknown, code?: LockErrorCode): boolean {
  if (typeof error !== 'object' || error === null || Reflect.get(error, BRAND) !== true)
    return false;
  return code === undefined || Reflect.get(error, 'code') === code;
}

/**
 * The wait ended, and by the latest definite reply another client holds the lock. Nothing of this caller is left in the
 * store.
 * @example
 * ```ts
 * try {
 *   await locks.use('orders/42', () => charge(order), { waitMs: 2_000 });
 * } catch (error) {
 *   if (error instanceof LockTimeoutError) return retryLater(order); // the body did not run
 *   throw error;
 * }
 * ```
 */
export class LockTimeoutError extends LockError {
  override readonly name = 'LockTimeoutError';
  declare readonly code: 'LOCK_TIMEOUT';
  /**
   * Time that the holder's lease has left, as of now, unless it is renewed; undefined if the store does not report it,
   * or it has expired.
   */
  readonly holderRemainingMs: number | undefined;

  constructor(
    message: string,
    details: LockErrorDetails & { holderRemainingMs?: number | undefined } = {},
  ) {
    super('LOCK_TIMEOUT', message, details);
    this.holderRemainingMs = details.holderRemainingMs;
  }
}

/**
 * The lock was held, and is held no longer.
 * @example
 * ```ts
 * try {
 *   await locks.use('orders/42', ({ signal }) => charge(order, { signal }));
 * } catch (error) {
 *   if (error instanceof LockLostError) return verify(order); // not held to the end
 *   throw error;
 * }
 * ```
 */
export class LockLostError extends LockError {
  override readonly name = 'LockLostError';
  declare readonly code: 'LOCK_LOST';
  /** The result of the body of `use`, if it succeeded although the lock was lost meanwhile. */
  readonly result?: unknown;

  constructor(message: string, details: LockErrorDetails & { result?: unknown } = {}) {
    super('LOCK_LOST', message, details);
    if ('result' in details) this.result = details.result;
  }
}

/**
 * The request may or may not have been applied, for example because its reply never came.
 * @example
 * ```ts
 * try {
 *   await locks.acquire('orders/42');
 * } catch (error) {
 *   if (error instanceof OutcomeUnknownError) log(`may stay locked for ${error.untilMs} ms`);
 *   throw error;
 * }
 * ```
 */
export class OutcomeUnknownError extends LockError {
  override readonly name = 'OutcomeUnknownError';
  declare readonly code: 'OUTCOME_UNKNOWN';
  /** Time for which a hold of this caller may stay in the store; an estimate. */
  readonly untilMs: number | undefined;

  constructor(message: string, details: LockErrorDetails & { untilMs?: number | undefined } = {}) {
    super('OUTCOME_UNKNOWN', message, details);
    this.untilMs = details.untilMs;
  }
}

/**
 * The store could not be reached, or replied that it cannot serve now. A key that was taken before may be free by now.
 * @example
 * ```ts
 * try {
 *   await locks.use('orders/42', () => charge(order));
 * } catch (error) {
 *   if (error instanceof BackendUnavailableError) return retryLater(order); // the body did not run
 *   throw error;
 * }
 * ```
 */
export class BackendUnavailableError extends LockError {
  override readonly name = 'BackendUnavailableError';
  declare readonly code: 'BACKEND_UNAVAILABLE';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('BACKEND_UNAVAILABLE', message, details);
  }
}

/**
 * The backend does not support the request. A retry does not help.
 * @example
 * ```ts
 * try {
 *   await openLocks('redlock://redis1,redis2,redis3', { require: ['fencing'] });
 * } catch (error) {
 *   if (error instanceof CapabilityError) log(`choose another backend: ${error.message}`);
 *   throw error;
 * }
 * ```
 */
export class CapabilityError extends LockError {
  override readonly name = 'CapabilityError';
  declare readonly code: 'CAPABILITY';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('CAPABILITY', message, details);
  }
}

/**
 * With `reentrant: 'context'`: this context is within a re-entry of the key already. Two at a time cannot be told from two
 * callers that must exclude each other; nothing was sent.
 * @example
 * ```ts
 * await locks.use('orders/42', async () => {
 *   await Promise.all([charge(order), verify(order)]); // both use 'orders/42' again: the second one is refused
 * });
 * ```
 */
export class ConcurrentReentryError extends LockError {
  override readonly name = 'ConcurrentReentryError';
  declare readonly code: 'CONCURRENT_REENTRY';

  constructor(details: LockErrorDetails & { readonly key: string }) {
    const message = `'${details.key}' is re-entered by this context already: await one call before the next, or share one lease by reenter()`;
    super('CONCURRENT_REENTRY', message, details);
  }
}

/**
 * The configuration is wrong; nothing was opened.
 * @example
 * ```ts
 * try {
 *   await openLocks('redis://localhost?ttl=10');
 * } catch (error) {
 *   if (error instanceof ConfigError) log(`fix the configuration: ${error.message}`);
 *   throw error;
 * }
 * ```
 */
export class ConfigError extends LockError {
  override readonly name = 'ConfigError';
  declare readonly code: 'CONFIG';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('CONFIG', message, details);
  }
}

/**
 * The key cannot be locked; nothing was sent.
 * @example
 * ```ts
 * try {
 *   await locks.use(key, () => charge(order));
 * } catch (error) {
 *   if (error instanceof InvalidKeyError) return log('400 Bad Request', error.message);
 *   throw error;
 * }
 * ```
 */
export class InvalidKeyError extends LockError {
  override readonly name = 'InvalidKeyError';
  declare readonly code: 'INVALID_KEY';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('INVALID_KEY', message, details);
  }
}

/**
 * An option is wrong; nothing was sent.
 * @example
 * ```ts
 * try {
 *   await locks.acquire('orders/42', { ttlMs: 5 });
 * } catch (error) {
 *   if (error instanceof InvalidOptionError) log(error.message); // too short
 *   throw error;
 * }
 * ```
 */
export class InvalidOptionError extends LockError {
  override readonly name = 'InvalidOptionError';
  declare readonly code: 'INVALID_OPTION';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('INVALID_OPTION', message, details);
  }
}
