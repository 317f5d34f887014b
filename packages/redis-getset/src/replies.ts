import { type Attempt, BackendUnavailableError, LockError } from '@holdfast/core';
import { classifyReply } from '@holdfast/redis';
import { NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { NAME } from './identity.ts';

/** An attempt that ended without an answer to its question. */
export type Failure = Extract<Attempt, { readonly kind: 'unknown' | 'unavailable' | 'refused' }>;

/** What a rejected call means for the attempt that made it, where a doubtful call may have written a stamp. */
export function failureOf(cause: unknown, key: string): Failure {
  if (cause instanceof NodeUnavailable) return { kind: 'unavailable', cause };
  if (!(cause instanceof NodeReplyError)) return { kind: 'unknown', cause };
  if (cause.code === 'WRONGTYPE') return { kind: 'refused', error: foreignKeyError(key, cause) };
  // A plain command that is answered with an error was not executed.
  if (classifyReply(cause) !== 'refused') return { kind: 'unavailable', cause };
  const message = `${NAME}: key ${JSON.stringify(key)} cannot be locked: ${cause.message}`;
  const error = new LockError(cause.code, message, { key, backend: NAME, cause });
  return { kind: 'refused', error };
}

/** The error for what stands under the key and is not a stamp. */
export function foreignKeyError(key: string, cause?: unknown): LockError {
  const message = `${NAME}: key ${JSON.stringify(key)} holds something that is not a lock`;
  return new LockError('FOREIGN_KEY', message, { key, backend: NAME, cause });
}

/** The error to throw where an operator asked, and the node did not answer the question. */
export function operatorError(cause: unknown, key: string): LockError {
  const failure = failureOf(cause, key);
  if (failure.kind === 'refused') return failure.error;
  const why = cause instanceof Error ? cause.message : String(cause);
  const message = `${NAME}: no reply about key ${JSON.stringify(key)}: ${why}`;
  return new BackendUnavailableError(message, { key, backend: NAME, cause });
}
