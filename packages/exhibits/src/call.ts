import type { Host } from '@holdfast/core';
import { outcomeOf } from '@holdfast/redis';
import type { RedisNode, Reply } from '@holdfast/redis/port';
import type { Call, Recipe } from './recipe.ts';

/** One key as one contender sees it. */
export interface Held {
  readonly recipe: Recipe;
  /** The first of {@link nodes}. */
  readonly node: RedisNode;
  readonly nodes: readonly RedisNode[];
  readonly host: Host;
  readonly lock: string;
  readonly value: string;
  readonly ttlMs: number;
}

/** The way to the node for one turn of a recipe: all its commands together take no longer than one call may. */
export function callOf(
  { recipe, node, nodes, host, lock, value, ttlMs }: Held,
  deadlineMs: number,
  sent: { commands: number },
): Call {
  const asked = async (ask: () => Promise<Reply>): Promise<Reply> => {
    sent.commands++;
    try {
      return await ask();
    } catch (cause) {
      const outcome = outcomeOf(cause);
      host.emit({ type: 'node', backend: recipe.name, node: node.address, outcome, cause });
      throw cause;
    }
  };
  return {
    lock,
    value,
    ttlMs: `${ttlMs}`,
    sendAll: (...command) =>
      Promise.all(
        nodes.map((each) => each.command(command, { deadlineMs }).catch(() => undefined)),
      ),
    wallMs: () => host.runtime.now().wallMs,
    send: (...command) => asked(() => node.command(command, { deadlineMs })),
    run: (script, keys, args) => asked(() => node.script(script, keys, args, { deadlineMs })),
  };
}
