import type { Host } from '@holdfast/core';
import { outcomeOf } from '@holdfast/redis';
import type { RedisNode, Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';

/** What the contenders and grants of one backend share. */
export interface Store {
  readonly node: RedisNode;
  readonly host: Host;
  /** Whether a release leaves the key alone once its own stamp is past. */
  readonly checkAge: boolean;
}

/** One lock, as its user calls it and as Redis does. */
export interface StoredKey {
  readonly key: string;
  readonly lock: string;
}

/** One plain command; a node that does not serve it is reported. @throws what `node.command` throws */
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
