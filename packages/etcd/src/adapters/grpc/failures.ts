import type { ServiceError } from '@grpc/grpc-js';
import { EtcdDoubt, EtcdReplyError, EtcdUnavailable, type ReplyCode } from '../../port.ts';

/**
 * The codes of gRPC (https://grpc.github.io/grpc/core/md_doc_statuscodes.html) that etcd uses before it proposes anything, or
 * instead of applying it. All others leave doubt.
 */
const REFUSALS: ReadonlySet<number> = new Set([
  3, // INVALID_ARGUMENT
  5, // NOT_FOUND
  6, // ALREADY_EXISTS
  7, // PERMISSION_DENIED
  9, // FAILED_PRECONDITION
  11, // OUT_OF_RANGE
  12, // UNIMPLEMENTED
  16, // UNAUTHENTICATED
]);
const REPLIES: readonly (readonly [RegExp, ReplyCode])[] = [
  [/lease not found/, 'LEASE_NOT_FOUND'],
  [/lease already exists/, 'LEASE_EXISTS'],
  [/permission denied/, 'PERMISSION_DENIED'],
  [/authentication failed|authentication is not enabled|user name is empty/, 'AUTH_FAILED'],
];
/** Nothing was proposed, and another server may do better. A server that stops may have proposed before. */
const NOT_SERVED = /no leader/;
/** Nothing was proposed: all servers have too long a queue, or no room. */
const OVERLOADED = /too many requests|database space exceeded/;
/** A token is for one state of the users, and for a limited time. */
const STALE_TOKEN = /invalid auth token|revision of auth store is old|revision in header is old/;

/** Converts the failure of one call, which was sent, into an error of the port. */
export function portError(error: ServiceError, address: string): Error {
  const message = `${address}: ${error.details === '' ? error.message : error.details}`;
  const known = REPLIES.find(([pattern]) => pattern.test(error.details))?.[1];
  if (known !== undefined) return new EtcdReplyError(known, message, error);
  if (NOT_SERVED.test(error.details)) return new EtcdUnavailable(message, error);
  if (REFUSALS.has(error.code) || OVERLOADED.test(error.details)) {
    return new EtcdReplyError('OTHER', message, error);
  }
  return new EtcdDoubt(message, error);
}

/** True if the server refused the token, so that nothing was applied. */
export function isStaleToken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && STALE_TOKEN.test(cause.message);
}

/** True if another server may do better. */
export function isOfThisServer(error: unknown): boolean {
  return error instanceof EtcdDoubt || error instanceof EtcdUnavailable;
}
