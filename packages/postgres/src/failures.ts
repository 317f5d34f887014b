import {
  BackendUnavailableError,
  ConfigError,
  LockError,
  type LockErrorCode,
} from '@holdfast/core';
import type { Attempt } from '@holdfast/core/backend';
import { NAME } from './identity.ts';
import { DatabaseDoubt, DatabaseReplyError, DatabaseUnavailable, PooledSession } from './port.ts';

/** An attempt that ended without a grant, because its call failed. */
export type Failure = Extract<Attempt, { readonly kind: 'unknown' | 'unavailable' | 'refused' }>;

/** Another transaction kept the row locked until our limit: one that has checked its lease, or one that is slow. */
const LOCK_NOT_AVAILABLE = '55P03';
const SCHEMA_MISSING =
  'cannot be locked: the tables are missing; run the output of `holdfast schema postgres`, or createSchema';

const POOLED =
  'cannot be locked by a session: a transaction pooler shares the connection; connect to the server itself, or through a pooler of sessions';

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

/** Converts a failed call about a key into a result; `backend` is the name in its error. */
export function failureOf(cause: unknown, key: string, backend: string = NAME): Failure {
  if (cause instanceof DatabaseUnavailable) return { kind: 'unavailable', cause };
  if (cause instanceof PooledSession)
    return {
      kind: 'refused',
      error: refusalError({ code: 'CONFIG', why: POOLED, backend }, key, cause),
    };
  if (!(cause instanceof DatabaseReplyError)) return { kind: 'unknown', cause };
  const refusal = REFUSALS[cause.code];
  if (refusal === undefined) return { kind: 'unavailable', cause };
  return { kind: 'refused', error: refusalError({ ...refusal, backend }, key, cause) };
}

const MEMBERS: Readonly<Record<string, { readonly code: LockErrorCode; readonly why: string }>> = {
  '42P01': {
    code: 'CONFIG',
    why: 'cannot have readers or permits: the table members_v1 is missing; run the output of `holdfast schema postgres` again, or createSchema',
  },
  '42501': {
    code: 'NOPERM',
    why: 'may not have readers or permits: this user needs SELECT, INSERT, UPDATE and DELETE on members_v1',
  },
};

/** As {@link failureOf}, of a call that needs the table of members, which an older schema lacks. */
export function modeFailureOf(cause: unknown, key: string): Failure {
  const refusal = cause instanceof DatabaseReplyError ? MEMBERS[cause.code] : undefined;
  if (refusal === undefined) return failureOf(cause, key);
  return { kind: 'refused', error: refusalError(refusal, key, cause) };
}

/** True if another transaction kept the row locked. */
export function isRowLocked(cause: unknown): boolean {
  return cause instanceof DatabaseReplyError && cause.code === LOCK_NOT_AVAILABLE;
}

/** True if the tables are missing. */
export function isSchemaMissing(cause: unknown): boolean {
  return cause instanceof DatabaseReplyError && REFUSALS[cause.code]?.why === SCHEMA_MISSING;
}

/** A reason that no waiting changes. */
interface Refusal {
  readonly code: LockErrorCode;
  readonly why: string;
  readonly backend?: string;
}

export function refusalError(
  { code, why, backend = NAME }: Refusal,
  key: string,
  cause?: unknown,
): LockError {
  const message = `${backend}: key ${JSON.stringify(key)} ${why}`;
  const details = { key, backend, cause };
  return code === 'CONFIG'
    ? new ConfigError(message, details)
    : new LockError(code, message, details);
}

/** The error for a row that is no lock of this library. */
export function foreignKeyError(key: string): LockError {
  const why = 'holds a value that is not a lock of this library';
  return refusalError({ code: 'FOREIGN_KEY', why }, key);
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
