import { BackendUnavailableError, LockError, type LockErrorCode } from '@holdfast/core';
import { type Attempt } from '@holdfast/core/backend';
import { UnexpectedReply } from '../outcome.ts';
import { NodeDoubt, NodeReplyError, NodeUnavailable } from '../port.ts';
import { codeOf, refusalCode } from '../replies.ts';

/** The key that an error is about, and the backend. */
export interface ErrorContext {
  /** The name of the backend. */
  readonly backend: string;
  /** The key as the user wrote it, not the stored name. */
  readonly key: string;
  /** The address of the node, on backends that have several. */
  readonly node?: string;
}

/** An attempt that ended without a definite reply. */
export type Failure = Extract<Attempt, { readonly kind: 'unknown' | 'unavailable' | 'refused' }>;

/** Reasons why waiting will not help, for codes whose message alone does not explain it to a user of locks. */
const REASONS: Readonly<Partial<Record<LockErrorCode, string>>> = {
  WRONGTYPE: 'holds something that is not a lock',
  NOPERM: 'may not be locked by this Redis user',
  NOAUTH: 'cannot be locked without authentication',
  WRONGPASS: 'cannot be locked with this password',
};
/** The texts that servers send instead of NOPERM for a command inside a script: Redis 6.2 and 7.0, and later ones with Valkey. */
const DENIED_IN_SCRIPT = /executing the script can't|ACL failure in script/;
const UNKNOWN_COMMAND = /unknown (?:redis )?command/i;

/** True for an error line that denies the user a command, plain or inside a script, or says that there is none. */
export function isDenial(text: string): boolean {
  return codeOf(text) === 'NOPERM' || DENIED_IN_SCRIPT.test(text) || isUnknownCommand(text);
}

/** True for the error line of a server that lacks a command, or has renamed it. */
export function isUnknownCommand(text: string): boolean {
  return UNKNOWN_COMMAND.test(text);
}

/**
 * Returns the outcome of an attempt whose call was rejected. An error reply is never `unknown`: a plain command that
 * failed was not applied, and our scripts check everything before they write, so the key was not acquired.
 * @example
 * ```ts
 * try {
 *   await node.script(ACQUIRE, [key], [owner, `${ttlMs}`], { deadlineMs });
 * } catch (cause) {
 *   return failureOf(cause, { backend: 'my-lock', key }); // the result of this attempt
 * }
 * ```
 */
export function failureOf(cause: unknown, context: ErrorContext): Failure {
  if (cause instanceof NodeUnavailable) return { kind: 'unavailable', cause };
  if (!(cause instanceof NodeReplyError)) return { kind: 'unknown', cause };
  const code = DENIED_IN_SCRIPT.test(cause.message) ? 'NOPERM' : refusalCode(cause);
  if (code === undefined) return { kind: 'unavailable', cause };
  const why = REASONS[code] ?? `cannot be locked: ${cause.message}`;
  const error = refusal(code === 'WRONGTYPE' ? 'FOREIGN_KEY' : code, context, why, cause);
  return { kind: 'refused', error };
}

/** Reasons for which a stored value is foreign. */
export const FOREIGN_REASONS = {
  noExpiry: 'holds a value that never expires; a lock always does',
  notAnOwner: 'holds a value that is not a lock of this library',
  notAToken: 'has a fence that is not a fencing token',
  notALock: 'holds something that is not a lock',
} as const;

/**
 * Returns the error for a key that holds something other than a lock; `why` is one of `FOREIGN_REASONS`. Its code: `FOREIGN_KEY`.
 * @example
 * ```ts
 * const error = foreignKeyError(FOREIGN_REASONS.notAnOwner, { backend: 'my-lock', key });
 * return { kind: 'refused', error };
 * ```
 */
export function foreignKeyError(why: string, context: ErrorContext, cause?: unknown): LockError {
  return refusal('FOREIGN_KEY', context, why, cause);
}

/**
 * Returns the error to throw if an operator's call got no definite reply: a BackendUnavailableError, or, if the server
 * refuses for good, a LockError with the code of the refusal.
 * @example
 * ```ts
 * try {
 *   return await node.command(['GET', key], operatorCallOptions(host));
 * } catch (cause) {
 *   throw operatorError(cause, { backend: 'my-lock', key });
 * }
 * ```
 */
export function operatorError(cause: unknown, context: ErrorContext): LockError {
  const failure = failureOf(cause, context);
  if (failure.kind === 'refused') return failure.error;
  const { backend, key } = context;
  const message = `${backend}: no reply about key ${JSON.stringify(key)}: ${messageOf(cause)}`;
  return new BackendUnavailableError(message, { key, backend, cause });
}

/**
 * True if the call may have been applied: no reply came, or one that proves nothing.
 * @example
 * ```ts
 * try {
 *   await node.script(RELEASE, [key], [owner], { deadlineMs });
 * } catch (cause) {
 *   if (isDoubt(cause)) return { kind: 'unknown', cause };
 *   throw cause;
 * }
 * ```
 */
export function isDoubt(cause: unknown): boolean {
  return cause instanceof NodeDoubt || cause instanceof UnexpectedReply;
}

/**
 * True if the key holds a value of another type, so that our value is certainly gone.
 * @example
 * ```ts
 * try {
 *   await node.script(RENEW, [key], [owner, `${ttlMs}`], { deadlineMs });
 * } catch (cause) {
 *   return isOverwritten(cause) ? { kind: 'lost' } : { kind: 'unknown', cause };
 * }
 * ```
 */
export function isOverwritten(cause: unknown): boolean {
  return cause instanceof NodeReplyError && cause.code === 'WRONGTYPE';
}

/**
 * Returns the message of whatever was thrown.
 * @example
 * ```ts
 * try {
 *   await node.command(['PING'], { deadlineMs });
 * } catch (cause) {
 *   throw new ConfigError(`cannot use ${node.address}: ${messageOf(cause)}`, { cause });
 * }
 * ```
 */
export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function refusal(
  code: LockErrorCode,
  { backend, key, node }: ErrorContext,
  why: string,
  cause?: unknown,
): LockError {
  const where = node === undefined ? '' : ` on ${node}`;
  const message = `${backend}: key ${JSON.stringify(key)}${where} ${why}`;
  return new LockError(code, message, { key, backend, cause });
}
