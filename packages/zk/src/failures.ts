import { BackendUnavailableError, LockError, type LockErrorCode } from '@holdfast/core';
import { type Attempt } from '@holdfast/core/backend';
import { NAME } from './identity.ts';
import { type ReplyCode, SessionReplyError, SessionUnavailable } from './port.ts';

/** An attempt that ended without knowing its position. */
export type Failure = Extract<Attempt, { readonly kind: 'unknown' | 'unavailable' | 'refused' }>;

/** Replies that no waiting changes; all others may be temporary. */
const REFUSALS: Partial<Record<ReplyCode, { readonly code: LockErrorCode; readonly why: string }>> =
  {
    NOAUTH: {
      code: 'NO_AUTH',
      why: 'may not be locked by this user: the ACL of its container, or of a node above, is of another user',
    },
    INVALIDACL: {
      code: 'NO_AUTH',
      why: 'cannot be protected: nodes that only their creator may change need a session that has authenticated itself',
    },
    NOCHILDRENFOREPHEMERALS: {
      code: 'FOREIGN_KEY',
      why: 'cannot be locked: an ephemeral node is in place of its container; delete that node',
    },
    UNIMPLEMENTED: {
      code: 'OLD_SERVER',
      why: 'cannot be locked on this server: container nodes need ZooKeeper 3.5.3 or later',
    },
  };

/** Converts a failed request about a key into a result. */
export function failureOf(cause: unknown, key: string): Failure {
  if (cause instanceof LockError) return { kind: 'refused', error: cause };
  if (cause instanceof SessionUnavailable) return { kind: 'unavailable', cause };
  if (!(cause instanceof SessionReplyError)) return { kind: 'unknown', cause };
  const refusal = REFUSALS[cause.code];
  if (refusal === undefined) return { kind: 'unavailable', cause };
  return { kind: 'refused', error: refusalError(refusal.code, key, refusal.why, cause) };
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
