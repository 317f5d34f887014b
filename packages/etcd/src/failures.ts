import { BackendUnavailableError, LockError, type LockErrorCode } from '@holdfast/core';
import type { Attempt } from '@holdfast/core/backend';
import { NAME } from './identity.ts';
import { EtcdReplyError, EtcdUnavailable, type ReplyCode } from './port.ts';

/** An attempt that ended without knowing its position. */
export type Failure = Extract<Attempt, { readonly kind: 'unknown' | 'unavailable' | 'refused' }>;

/** Replies that no waiting changes; all others may be temporary. */
const REFUSALS: Partial<Record<ReplyCode, string>> = {
  PERMISSION_DENIED:
    'may not be locked by this user: its role needs readwrite on the prefix of the locks',
  AUTH_FAILED: 'cannot be locked: the servers refused the user or the password',
};

/** Converts a failed request about a key into a result. */
export function failureOf(cause: unknown, key: string): Failure {
  if (cause instanceof LockError) return { kind: 'refused', error: cause };
  if (cause instanceof EtcdUnavailable) return { kind: 'unavailable', cause };
  if (!(cause instanceof EtcdReplyError)) return { kind: 'unknown', cause };
  const why = REFUSALS[cause.code];
  if (why === undefined) return { kind: 'unavailable', cause };
  return { kind: 'refused', error: refusalError('NO_AUTH', key, why, cause) };
}

export function refusalError(
  code: LockErrorCode,
  key: string,
  why: string,
  cause?: unknown,
): LockError {
  const message = `${NAME}: key ${JSON.stringify(key)} ${why}`;
  return new LockError(code, message, { key, backend: NAME, cause });
}

/** Converts a failed request into the error of an operator's call. */
export function operatorError(cause: unknown, key: string): LockError {
  const failure = failureOf(cause, key);
  if (failure.kind === 'refused') return failure.error;
  const message = `${NAME}: no reply about key ${JSON.stringify(key)}: ${messageOf(cause)}`;
  return new BackendUnavailableError(message, { key, backend: NAME, cause });
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

export function isLeaseGone(cause: unknown): boolean {
  return cause instanceof EtcdReplyError && cause.code === 'LEASE_NOT_FOUND';
}
