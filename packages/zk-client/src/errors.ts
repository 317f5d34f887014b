import type { FailureCode } from './reply-codes.ts';

/**
 * All errors of this package. Messages name the path and the server, never data or credentials.
 * @example
 * ```ts
 * try {
 *   await session.setData('/jobs/1', 'done');
 * } catch (error) {
 *   if (!(error instanceof ZooKeeperError)) throw error;
 *   log(error.code, error.message);
 * }
 * ```
 */
export class ZooKeeperError<Code extends string = string> extends Error {
  override readonly name: string = 'ZooKeeperError';
  /** Stable, for programs. */
  readonly code: Code;

  constructor(code: Code, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/**
 * Nothing was sent: there is no connection, or the session has ended.
 * @example
 * ```ts
 * try {
 *   await session.setData('/jobs/1', 'done');
 * } catch (error) {
 *   if (!(error instanceof NotSentError)) throw error;
 *   if (error.code === 'DISCONNECTED') return retryLater(order); // else the session has ended
 * }
 * ```
 */
export class NotSentError extends ZooKeeperError<
  'DISCONNECTED' | 'EXPIRED' | 'AUTH_FAILED' | 'CLOSED'
> {
  override readonly name = 'NotSentError';
}

/**
 * The request was sent, and its outcome is unknown: it may have been applied, or may still be.
 * @example
 * ```ts
 * try {
 *   await session.create('/jobs/1', 'open');
 * } catch (error) {
 *   if (!(error instanceof UnknownOutcomeError)) throw error;
 *   const { stat } = await session.exists('/jobs/1'); // was it applied?
 * }
 * ```
 */
export class UnknownOutcomeError extends ZooKeeperError<'UNKNOWN_OUTCOME'> {
  override readonly name = 'UnknownOutcomeError';

  constructor(message: string, cause?: unknown) {
    super('UNKNOWN_OUTCOME', message, cause);
  }
}

/**
 * A server replied that the request was not applied.
 * @example
 * ```ts
 * try {
 *   await session.create('/jobs/1', 'open');
 * } catch (error) {
 *   if (error instanceof ReplyError && error.code === 'NODEEXISTS') return;
 *   throw error;
 * }
 * ```
 */
export class ReplyError extends ZooKeeperError<FailureCode> {
  override readonly name = 'ReplyError';
  /** The index of the operation of a multi that failed. */
  readonly index: number | undefined;

  constructor(code: FailureCode, message: string, index?: number) {
    super(code, message);
    this.index = index;
  }
}

/**
 * The request is invalid and was not sent: a path that ZooKeeper refuses, too many bytes.
 * @example
 * ```ts
 * try {
 *   await session.setData('/jobs/1', source);
 * } catch (error) {
 *   if (error instanceof RequestError && error.code === 'TOO_LARGE') log('split it');
 *   throw error;
 * }
 * ```
 */
export class RequestError extends ZooKeeperError<'BAD_PATH' | 'BAD_ARGUMENT' | 'TOO_LARGE'> {
  override readonly name = 'RequestError';
}

/**
 * An option of the opening is invalid.
 * @example
 * ```ts
 * try {
 *   await Session.open({ servers: ['zk1:port'] });
 * } catch (error) {
 *   if (error instanceof OptionError) log(`fix the options: ${error.message}`);
 *   throw error;
 * }
 * ```
 */
export class OptionError extends ZooKeeperError<'BAD_OPTION'> {
  override readonly name = 'OptionError';

  constructor(message: string) {
    super('BAD_OPTION', message);
  }
}

/**
 * No session: no server granted one in time, the chroot does not exist, the credentials were refused, or the caller aborted.
 * @example
 * ```ts
 * try {
 *   await Session.open({ servers: ['zk1:2181'], openMs: 5_000 });
 * } catch (error) {
 *   if (error instanceof OpenError && error.code === 'NO_SERVER') return retryLater(order);
 *   throw error;
 * }
 * ```
 */
export class OpenError extends ZooKeeperError<
  'NO_SERVER' | 'NO_CHROOT' | 'AUTH_FAILED' | 'ABORTED'
> {
  override readonly name = 'OpenError';
}
