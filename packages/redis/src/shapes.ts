import type { Reply } from './port.ts';

/** True for the reply to a command that a MULTI on the connection holds back: it may be executed later, or never. */
export function isQueued(reply: Reply): boolean {
  return reply === 'QUEUED';
}

/**
 * True for a whole number that has lost no digit.
 * @example
 * ```ts
 * const reply = await node.command(['INCR', key], { deadlineMs });
 * const token = BigInt(expectReply('INCR', reply, isInteger));
 * ```
 */
export function isInteger(reply: Reply | undefined): reply is number {
  return Number.isSafeInteger(reply);
}

/**
 * True for the yes or no of a script, or the count of one key.
 * @example
 * ```ts
 * const reply = await node.command(['DEL', key], { deadlineMs });
 * const isDeleted = expectReply('DEL', reply, isZeroOrOne) === 1;
 * ```
 */
export function isZeroOrOne(reply: Reply): reply is 0 | 1 {
  return reply === 0 || reply === 1;
}

/**
 * True for the remaining ms of a key.
 * @example
 * ```ts
 * const reply = await node.command(['PTTL', key], { deadlineMs });
 * if (isRemainingMs(reply)) log(`expires in ${reply} ms`);
 * ```
 */
export function isRemainingMs(reply: Reply): reply is number {
  return isInteger(reply) && reply >= 0;
}

/**
 * True for a value, or none.
 * @example
 * ```ts
 * const reply = await node.command(['GET', key], { deadlineMs });
 * const stored = expectReply('GET', reply, isValue); // a string, or null
 * ```
 */
export function isValue(reply: Reply | undefined): reply is string | null {
  return reply === null || typeof reply === 'string';
}
