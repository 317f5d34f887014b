import type { HoldMode, Host } from '@holdfast/core/backend';
import { isInteger, isValue, isZeroOrOne, outcomeOf, UnexpectedReply } from '@holdfast/redis';
import type { RedisNode, Reply } from '@holdfast/redis/port';
import type { Recipe, RecipeCall } from './recipe.ts';

/** One key of one contender. */
export interface RecipeHold {
  readonly recipe: Recipe;
  /** The first of {@link nodes}. */
  readonly node: RedisNode;
  readonly nodes: readonly RedisNode[];
  readonly host: Host;
  readonly lock: string;
  readonly value: string;
  readonly ttlMs: number;
  readonly mode: HoldMode | undefined;
}

/** The {@link RecipeCall} of one step of a recipe: all its commands together share the deadline of one call. */
export function callOf(
  { recipe, node, nodes, host, lock, value, ttlMs, mode }: RecipeHold,
  deadlineMs: number,
  sent: { commands: number },
): RecipeCall {
  const request = async (name: string | undefined, send: () => Promise<Reply>): Promise<Reply> => {
    sent.commands++;
    try {
      return expected(name, await send());
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
    mode,
    sendAll: (...command) =>
      Promise.all(
        nodes.map(async (each) => {
          try {
            return expected(command[0], await each.command(command, { deadlineMs }));
          } catch {
            return undefined;
          }
        }),
      ),
    wallMs: () => host.runtime.now().wallMs,
    send: (...command) => request(command[0], () => node.command(command, { deadlineMs })),
    run: (script, keys, args) =>
      request('EVAL', () => node.script(script, keys, args, { deadlineMs })),
  };
}

/** The possible replies to the commands of the recipes. */
const EXPECTED: Readonly<Record<string, (reply: Reply) => boolean>> = {
  SET: (reply) => reply === 'OK' || reply === null,
  GET: isValue,
  SETNX: isZeroOrOne,
  DEL: isZeroOrOne,
  PEXPIRE: isZeroOrOne,
  INCR: isInteger,
  EVAL: isInteger,
};

/** @throws UnexpectedReply for a reply that the command never has: nothing follows from it */
function expected(name: string | undefined, reply: Reply): Reply {
  if (name !== undefined && EXPECTED[name]?.(reply) === false)
    throw new UnexpectedReply(name, reply);
  return reply;
}
