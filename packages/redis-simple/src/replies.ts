import { type Attempt, BackendUnavailableError, LockError } from '@holdfast/core';
import { classifyReply, isInteger } from '@holdfast/redis';
import { NodeReplyError, NodeUnavailable, type Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import { FOREIGN } from './scripts/acquire.ts';

/** An attempt that ended without an answer to its question. */
export type Failure = Extract<Attempt, { readonly kind: 'unknown' | 'unavailable' | 'refused' }>;

/** Why no waiting will help, for the codes whose message alone would not tell a user of locks. */
const REASONS: Readonly<Record<string, string>> = {
  WRONGTYPE: 'holds something that is not a lock',
  NOPERM: 'may not be locked by this Redis user',
  NOAUTH: 'cannot be locked without authentication',
  WRONGPASS: 'cannot be locked with this password',
};
/** How Redis 6.2 and 7.0 say NOPERM of a command inside a script. */
const DENIED_IN_SCRIPT = "executing the script can't";

/**
 * What a rejected call means for the attempt that made it. An error reply is never `unknown`: the script checks before
 * its first write and writes the lock last, so whatever the error, the key was not taken.
 */
export function failureOf(cause: unknown, key: string): Failure {
  if (cause instanceof NodeUnavailable) return { kind: 'unavailable', cause };
  if (!(cause instanceof NodeReplyError)) return { kind: 'unknown', cause };
  const denied = cause.message.includes(DENIED_IN_SCRIPT);
  if (!denied && classifyReply(cause) !== 'refused') return { kind: 'unavailable', cause };
  const code = denied ? 'NOPERM' : cause.code;
  const why = REASONS[code] ?? `cannot be locked: ${cause.message}`;
  const error = refusalError(code === 'WRONGTYPE' ? 'FOREIGN_KEY' : code, key, why, cause);
  return { kind: 'refused', error };
}

/**
 * A fencing token, µs since 1970: more digits than the ms of the longest ttl have, so that no remaining time that came
 * as a string is taken for one, and none that a number cannot hold.
 */
export function isToken(reply: Reply): reply is string {
  return typeof reply === 'string' && /^[1-9]\d{8,15}$/.test(reply) && isInteger(Number(reply));
}

type ForeignReply = (typeof FOREIGN)[keyof typeof FOREIGN];

/** Whether something stands there that is not a lock. */
export function isForeign(reply: Reply): reply is ForeignReply {
  return Object.values<Reply>(FOREIGN).includes(reply);
}

/** The error behind the negative replies of the scripts. */
export function foreignKeyError(reply: ForeignReply, key: string): LockError {
  const why = {
    [FOREIGN.noExpiry]: 'holds a value that never expires; a lock always does',
    [FOREIGN.notAnOwner]: 'holds a value that is not a lock of this library',
    [FOREIGN.notAToken]: 'has a fence that is not a fencing token',
  }[reply];
  return refusalError('FOREIGN_KEY', key, why);
}

function refusalError(code: string, key: string, why: string, cause?: unknown): LockError {
  const message = `${NAME}: key ${JSON.stringify(key)} ${why}`;
  return new LockError(code, message, { key, backend: NAME, cause });
}

/** The error to throw where an operator asked, and the node did not answer the question. */
export function operatorError(cause: unknown, key: string): LockError {
  const failure = failureOf(cause, key);
  if (failure.kind === 'refused') return failure.error;
  const message = `${NAME}: no reply about key ${JSON.stringify(key)}: ${messageOf(cause)}`;
  return new BackendUnavailableError(message, { key, backend: NAME, cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
