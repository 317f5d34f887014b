import { LockError } from '@holdfast/core';
import {
  NodeDoubt,
  NodeNotAcknowledged,
  NodeReplyError,
  NodeUnavailable,
  type Reply,
} from './port.ts';

/**
 * A reply of a kind that the server never sends to this request: it proves nothing.
 * @example
 * ```ts
 * const reply = await node.command(['GET', key], { deadlineMs });
 * if (!isValue(reply)) throw new UnexpectedReply('GET', reply);
 * ```
 */
export class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply';

  /** @param request the command or script, for the message */
  constructor(request: string, reply: Reply) {
    super(
      `${request}: unexpected reply ${typeof reply === 'number' ? reply : JSON.stringify(reply)}`,
    );
  }
}

/**
 * Returns `reply` if it is of an expected kind. `request` names the command or script, for the message.
 * @example
 * ```ts
 * const reply = await node.command(['DEL', key], { deadlineMs });
 * const isDeleted = expectReply('DEL', reply, isZeroOrOne) === 1;
 * ```
 * @throws UnexpectedReply
 */
export function expectReply<R extends Reply>(
  request: string,
  reply: Reply,
  isExpected: (reply: Reply) => reply is R,
): R {
  if (isExpected(reply)) return reply;
  throw new UnexpectedReply(request, reply);
}

/**
 * Returns the outcome, in about a word, for the event about a node that did not serve a call.
 * @example
 * ```ts
 * try {
 *   await node.command(['PING'], { deadlineMs });
 * } catch (cause) {
 *   const outcome = outcomeOf(cause);
 *   host.emit({ type: 'node', backend: 'my-lock', node: node.address, outcome, cause });
 * }
 * ```
 */
export function outcomeOf(cause: unknown): string {
  if (cause instanceof LockError || cause instanceof NodeReplyError) return cause.code;
  if (cause instanceof NodeUnavailable) return 'unavailable';
  if (cause instanceof NodeNotAcknowledged) return 'not acknowledged';
  return cause instanceof NodeDoubt ? `unknown, undo ${cause.undo}` : 'unknown';
}
