import {
  BackendUnavailableError,
  ConfigError,
  LockError,
  type LockErrorCode,
} from '@holdfast/core';
import type { Attempt } from '@holdfast/core/backend';
import { NAME } from './identity.ts';
import { DatabaseDoubt, DatabaseReplyError, DatabaseUnavailable } from './port.ts';

/** An attempt that ended without a grant, because its call failed. */
export type Failure = Extract<Attempt, { readonly kind: 'unknown' | 'unavailable' | 'refused' }>;

/** Another transaction kept the row locked until our limit: one that has checked its lease, or one that is slow. */
const LOCK_NOT_AVAILABLE = '55P03';
const SCHEMA_MISSING =
  'cannot be locked: the tables are missing; run the output of `holdfast schema postgres`, or createSchema';

/** Replies that no waiting changes, by SQLSTATE; all others may be temporary. */
const REFUSALS: Readonly<Record<string, { readonly code: LockErrorCode; readonly why: string }>> = {
  '42P01': { code: 'CONFIG', why: SCHEMA_MISSING },
  '3F000': { code: 'CONFIG', why: SCHEMA_MISSING },
  '3D000': { code: 'CONFIG', why: 'cannot be locked: the database does not exist' },
  '42501': { code: 'NOPERM', why: 'may not be locked by this user' },
  '28000': { code: 'NOAUTH', why: 'cannot be locked: the server does not let this user in' },
  '28P01': { code: 'WRONGPASS', why: 'cannot be locked with this password' },
  '22P05': { code: 'INVALID_KEY', why: 'has a character that the encoding of the database lacks' },
};

/** Converts a failed call about a key into a result. */
export function failureOf(cause: unknown, key: string): Failure {
  if (cause instanceof DatabaseUnavailable) return { kind: 'unavailable', cause };
  if (!(cause instanceof DatabaseReplyError)) return { kind: 'unknown', cause };
  const refusal = REFUSALS[cause.code];
  if (refusal === undefined) return { kind: 'unavailable', cause };
  return { kind: 'refused', error: refusalError(refusal.code, key, refusal.why, cause) };
}

/** True if another transaction kept the row locked. */
export function isRowLocked(cause: unknown): boolean {
  return cause instanceof DatabaseReplyError && cause.code === LOCK_NOT_AVAILABLE;
}

export function refusalError(
  code: LockErrorCode,
  key: string,
  why: string,
  cause?: unknown,
): LockError {
  const message = `${NAME}: key ${JSON.stringify(key)} ${why}`;
  const details = { key, backend: NAME, cause };
  return code === 'CONFIG'
    ? new ConfigError(message, details)
    : new LockError(code, message, details);
}

/** The error for a row that is no lock of this library. */
export function foreignKeyError(key: string): LockError {
  return refusalError('FOREIGN_KEY', key, 'holds a value that is not a lock of this library');
}

/** Converts a failed call into the error of an operator's call. */
export function operatorError(cause: unknown, key: string): LockError {
  if (cause instanceof LockError) return cause;
  const failure = failureOf(cause, key);
  if (failure.kind === 'refused') return failure.error;
  const message = `${NAME}: no reply about key ${JSON.stringify(key)}: ${messageOf(cause)}`;
  return new BackendUnavailableError(message, { key, backend: NAME, cause });
}

/** True if the call may have been applied. */
export function isDoubt(cause: unknown): boolean {
  return !(cause instanceof DatabaseUnavailable || cause instanceof DatabaseReplyError);
}

/** The outcome, in about a word, for the event about a server that did not serve a call. */
export function outcomeOf(cause: unknown): string {
  if (cause instanceof LockError || cause instanceof DatabaseReplyError) return cause.code;
  if (cause instanceof DatabaseUnavailable) return 'unavailable';
  return cause instanceof DatabaseDoubt ? 'unknown' : 'failed';
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
