import { BackendUnavailableError } from '@holdfast/core';
import { type Marks } from '@holdfast/core/backend';
import { expectReply } from '../outcome.ts';
import type { RedisNode, Reply } from '../port.ts';
import { isValue } from '../shapes.ts';
import { keyPrefix } from './key-prefix.ts';
import { messageOf, operatorError } from './lock-errors.ts';

/** Returns `‹namespace›:v1:{}:mark:‹name›`. No lock can have it, because no key is empty. */
function markKey(namespace: string, name: string): string {
  return `${keyPrefix(namespace, '')}mark:${name}`;
}

/**
 * Returns the marks of one namespace on one node, by `GET` and `SET NX`. Both calls reject with a BackendUnavailableError, or
 * with a LockError if the server refuses for good.
 * @example
 * ```ts
 * const marks = redisMarks(node, 'holdfast', 'my-lock');
 * const stored = await marks.write('owner-team', 'billing', deadlineMs);
 * if (stored !== 'billing') log(`belongs to ${stored}`);
 * ```
 */
export function redisMarks(node: RedisNode, namespace: string, backend: string): Marks {
  const call = async (args: readonly string[], deadlineMs: number): Promise<Reply> => {
    try {
      return await node.command(args, { deadlineMs });
    } catch (cause) {
      const error = operatorError(cause, { backend, key: args[1] ?? '' });
      if (!(error instanceof BackendUnavailableError)) throw error;
      // No key that the caller knows.
      const message = `${backend}: no reply about a mark of the store: ${messageOf(cause)}`;
      throw new BackendUnavailableError(message, { backend, cause });
    }
  };
  const read: Marks['read'] = async (name, deadlineMs) => {
    const reply = await call(['GET', markKey(namespace, name)], deadlineMs);
    return expectReply('GET', reply, isValue) ?? undefined;
  };
  return {
    read,
    write: async (name, value, deadlineMs) => {
      await call(['SET', markKey(namespace, name), value, 'NX'], deadlineMs);
      const stored = await read(name, deadlineMs);
      if (stored !== undefined) return stored;
      const message = `${backend}: the store has lost its mark ${name}`;
      throw new BackendUnavailableError(message, { backend });
    },
  };
}
