/** Details that every error of a lock carries. */
export interface LockErrorDetails {
  readonly key?: string | undefined;
  readonly backend?: string | undefined;
  readonly cause?: unknown;
}

/** Any error of this library. `code` is stable and meant for programs, the message for people. */
export class LockError extends Error {
  override readonly name: string = 'LockError';
  readonly code: string;
  readonly key: string | undefined;
  readonly backend: string | undefined;

  constructor(code: string, message: string, details: LockErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.key = details.key;
    this.backend = details.backend;
  }
}

/**
 * The wait ended, and by the latest definite reply another client holds the lock. Nothing of this caller is left in the
 * store.
 */
export class LockTimeoutError extends LockError {
  override readonly name = 'LockTimeoutError';
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

/** The lock was held, and is held no longer. */
export class LockLostError extends LockError {
  override readonly name = 'LockLostError';
  /** The result of the body of `use`, if it succeeded although the lock was lost meanwhile. */
  readonly result?: unknown;

  constructor(message: string, details: LockErrorDetails & { result?: unknown } = {}) {
    super('LOCK_LOST', message, details);
    if ('result' in details) this.result = details.result;
  }
}

/** The request may or may not have been applied, for example because its reply never came. */
export class OutcomeUnknownError extends LockError {
  override readonly name = 'OutcomeUnknownError';
  /** Time for which a hold of this caller may stay in the store; an estimate. */
  readonly untilMs: number | undefined;

  constructor(message: string, details: LockErrorDetails & { untilMs?: number | undefined } = {}) {
    super('OUTCOME_UNKNOWN', message, details);
    this.untilMs = details.untilMs;
  }
}

/**
 * The store could not be reached, or replied that it cannot serve now. A key that was taken before may be free by now.
 */
export class BackendUnavailableError extends LockError {
  override readonly name = 'BackendUnavailableError';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('BACKEND_UNAVAILABLE', message, details);
  }
}

/** The backend does not support the request. A retry does not help. */
export class CapabilityError extends LockError {
  override readonly name = 'CapabilityError';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('CAPABILITY', message, details);
  }
}

/** The configuration is wrong; nothing was opened. */
export class ConfigError extends LockError {
  override readonly name = 'ConfigError';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('CONFIG', message, details);
  }
}

/** The key cannot be locked; nothing was sent. */
export class InvalidKeyError extends LockError {
  override readonly name = 'InvalidKeyError';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('INVALID_KEY', message, details);
  }
}

/** An option is wrong; nothing was sent. */
export class InvalidOptionError extends LockError {
  override readonly name = 'InvalidOptionError';

  constructor(message: string, details: LockErrorDetails = {}) {
    super('INVALID_OPTION', message, details);
  }
}
