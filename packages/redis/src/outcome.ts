import { LockError } from '@holdfast/core';
import { NodeDoubt, NodeReplyError, NodeUnavailable, type Reply } from './port.ts';

/** A reply of a kind that is never given to what was asked: nothing can be concluded from it. */
export class UnexpectedReply extends Error {
  override readonly name = 'UnexpectedReply';

  /** @param asked the command or script, for messages */
  constructor(asked: string, reply: Reply) {
    super(
      `${asked} was answered with ${typeof reply === 'number' ? reply : JSON.stringify(reply)}`,
    );
  }
}

/** One word, or nearly, for the event about a node that did not serve a call. */
export function outcomeOf(cause: unknown): string {
  if (cause instanceof LockError || cause instanceof NodeReplyError) return cause.code;
  if (cause instanceof NodeUnavailable) return 'unavailable';
  return cause instanceof NodeDoubt ? `unknown, undo ${cause.undo}` : 'unknown';
}
