import type { CommandContext, Commands } from '../command.ts';
import { count, integer } from '../numbers.ts';
import { type InnerReply, NO_SUCH_KEY, OK, RedisError } from '../reply.ts';
import { RedisList } from '../values.ts';

type End = 'left' | 'right';

export const LIST_COMMANDS: Commands = {
  lpush: [-3, 'write', (args, server) => push(args, 'left', false, server)],
  rpush: [-3, 'write', (args, server) => push(args, 'right', false, server)],
  lpushx: [-3, 'write', (args, server) => push(args, 'left', true, server)],
  rpushx: [-3, 'write', (args, server) => push(args, 'right', true, server)],
  lpop: [-2, 'write', (args, server) => pop(args, 'left', server)],
  rpop: [-2, 'write', (args, server) => pop(args, 'right', server)],
  llen: [2, 'read', (args, server) => itemsOf(args, server)?.length ?? 0],
  lindex: [3, 'read', at],
  lrange: [4, 'read', range],
  ltrim: [4, 'write', trim],
  lset: [4, 'write', replace],
  lrem: [4, 'write', remove],
};

function itemsOf([, key = '']: readonly string[], { keys }: CommandContext): string[] | undefined {
  return keys.collection(key, RedisList)?.items;
}

function push(
  args: readonly string[],
  end: End,
  onlyOld: boolean,
  server: CommandContext,
): InnerReply {
  const [, key = '', ...added] = args;
  const { keys } = server;
  if (onlyOld && itemsOf(args, server) === undefined) return 0;
  const { items } = keys.getOrCreate(key, RedisList);
  if (end === 'left') items.unshift(...added.toReversed());
  else items.push(...added);
  keys.wrote(args);
  return items.length;
}

function pop(args: readonly string[], end: End, server: CommandContext): InnerReply {
  const [name = '', key = '', text] = args;
  if (args.length > 3)
    throw new RedisError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
  const wanted = text === undefined ? undefined : count(text);
  const items = itemsOf(args, server);
  if (items === undefined) return null;
  const size = Math.min(wanted ?? 1, items.length);
  const taken =
    end === 'left' ? items.splice(0, size) : items.splice(items.length - size, size).toReversed();
  if (taken.length > 0) server.keys.wrote(args);
  server.keys.removeIfEmpty(key);
  return wanted === undefined ? (taken[0] ?? null) : taken;
}

/** The type of the key is checked before the index. */
function at(args: readonly string[], server: CommandContext): InnerReply {
  const items = itemsOf(args, server);
  if (items === undefined) return null;
  return items.at(integer(args[2])) ?? null;
}

/** Both ends are inclusive; negative positions count from the end. */
export function sliceBounds(length: number, from: number, to: number): readonly [number, number] {
  const start = from < 0 ? Math.max(0, length + from) : from;
  const end = to < 0 ? length + to : to;
  return [start, Math.max(start, end + 1)];
}

function range(args: readonly string[], server: CommandContext): InnerReply {
  const [from, to] = [integer(args[2]), integer(args[3])];
  const items = itemsOf(args, server) ?? [];
  return items.slice(...sliceBounds(items.length, from, to));
}

function trim(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [from, to] = [integer(args[2]), integer(args[3])];
  const [, key = ''] = args;
  const list = keys.collection(key, RedisList);
  if (list === undefined) return OK;
  list.items = list.items.slice(...sliceBounds(list.items.length, from, to));
  keys.wrote(args);
  keys.removeIfEmpty(key);
  return OK;
}

function replace(args: readonly string[], server: CommandContext): InnerReply {
  const items = itemsOf(args, server);
  if (items === undefined) throw new RedisError(NO_SUCH_KEY);
  const given = integer(args[2]);
  const index = given < 0 ? items.length + given : given;
  if (index < 0 || index >= items.length) throw new RedisError('ERR index out of range');
  items[index] = args[3] ?? '';
  server.keys.wrote(args);
  return OK;
}

/** A positive count removes from the left, a negative count from the right, 0 removes all. */
function remove(args: readonly string[], { keys }: CommandContext): InnerReply {
  const given = integer(args[2]);
  const [, key = '', , unwanted = ''] = args;
  const list = keys.collection(key, RedisList);
  if (list === undefined) return 0;
  let left = given === 0 ? Infinity : Math.abs(given);
  const keep = (item: string): boolean => item !== unwanted || left-- <= 0;
  const before = list.items.length;
  list.items =
    given < 0 ? list.items.toReversed().filter(keep).toReversed() : list.items.filter(keep);
  const gone = before - list.items.length;
  if (gone > 0) keys.wrote(args);
  keys.removeIfEmpty(key);
  return gone;
}
