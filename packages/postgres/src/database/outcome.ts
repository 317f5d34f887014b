import { DatabaseDoubt, DatabaseReplyError } from '../port.ts';

/**
 * SQLSTATEs after which the transaction may have been committed, because they end the session at any point: of connections,
 * of a shutdown, and "statement completion unknown".
 */
const UNCERTAIN = /^(?:08...|57P0[1-5]|40003)$/;
/** A server that takes no writes, such as a former primary: another connection may lead to the new one. */
const READ_ONLY = '25006';

/** Returns the error of a message that was sent: a definite reply of the server, or doubt. */
export function sentError(cause: unknown, address: string): DatabaseReplyError | DatabaseDoubt {
  if (cause instanceof DatabaseReplyError && !UNCERTAIN.test(cause.code)) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new DatabaseDoubt(`${address}: the connection ended before the reply: ${why}`, cause);
}

/** True if the session can be used again after this error of a message. */
export function leavesUsable(error: DatabaseReplyError | DatabaseDoubt): boolean {
  return error instanceof DatabaseReplyError && error.code !== READ_ONLY;
}
