import type { Host } from '@holdfast/core/backend';
import { outcomeOf } from '@holdfast/redis';
import type { RedisNode, Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';

/** The objects that all contenders and grants of one backend share. */
export interface Store {
  readonly node: RedisNode;
  readonly host: Host;
  /** True if a release leaves the key alone once its own stamp is past. */
  readonly checkAge: boolean;
}

/** The end of its name in Redis. */
export const LOCK = 'lock';

/** One lock, by the user's name and by its name in Redis. */
export interface StoredKey {
  readonly key: string;
  readonly lock: string;
}

/** Sends one plain command, and reports a node that does not serve it. @throws what `node.command` throws */
export async function command(
  { node, host }: Store,
  key: string,
  args: readonly string[],
  deadlineMs: number,
): Promise<Reply> {
  try {
    return await node.command(args, { deadlineMs });
  } catch (cause) {
    const outcome = outcomeOf(cause);
    host.emit({ type: 'node', backend: NAME, node: node.address, outcome, key, cause });
    throw cause;
  }
}
