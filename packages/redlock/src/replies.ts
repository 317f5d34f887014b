import { type Attempt, LockError } from '@holdfast/core';
import { classifyReply } from '@holdfast/redis';
import { NodeReplyError, NodeUnavailable, type Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import { FOREIGN } from './scripts/acquire.ts';

/** How a node ends a call without an answer to its question. */
export type Failure = Extract<Attempt, { readonly kind: 'unknown' | 'unavailable' | 'refused' }>;

/** Where a call was made, for messages. */
export interface KeyOnNode {
  readonly key: string;
  /** The node's address. */
  readonly node: string;
}

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
 * What a rejected call means for the vote of its node. An error reply is never `unknown`: the script checks before its
 * only write, so whatever the error, the vote was not given.
 */
export function failureOf(cause: unknown, place: KeyOnNode): Failure {
  if (cause instanceof NodeUnavailable) return { kind: 'unavailable', cause };
  if (!(cause instanceof NodeReplyError)) return { kind: 'unknown', cause };
  const denied = cause.message.includes(DENIED_IN_SCRIPT);
  if (!denied && classifyReply(cause) !== 'refused') return { kind: 'unavailable', cause };
  const code = denied ? 'NOPERM' : cause.code;
  const why = REASONS[code] ?? `cannot be locked: ${cause.message}`;
  const error = refusalError(code === 'WRONGTYPE' ? 'FOREIGN_KEY' : code, place, why, cause);
  return { kind: 'refused', error };
}

/** What the scripts return where something stands that is not a vote. */
export type ForeignReply = (typeof FOREIGN)[keyof typeof FOREIGN];

/** Whether something stands there that is not a vote. */
export function isForeign(reply: Reply): reply is ForeignReply {
  return Object.values<Reply>(FOREIGN).includes(reply);
}

/** The error behind the negative replies of the scripts. */
export function foreignKeyError(reply: ForeignReply, place: KeyOnNode): LockError {
  const why = {
    [FOREIGN.noExpiry]: 'holds a value that never expires; a lock always does',
    [FOREIGN.notAnOwner]: 'holds a value that is not a lock of this library',
  }[reply];
  return refusalError('FOREIGN_KEY', place, why);
}

function refusalError(
  code: string,
  { key, node }: KeyOnNode,
  why: string,
  cause?: unknown,
): LockError {
  const message = `${NAME}: key ${JSON.stringify(key)} on ${node} ${why}`;
  return new LockError(code, message, { key, backend: NAME, cause });
}

/** Something of another type stands there, so our vote certainly does not. */
export function isOverwritten(cause: unknown): boolean {
  return cause instanceof NodeReplyError && cause.code === 'WRONGTYPE';
}
