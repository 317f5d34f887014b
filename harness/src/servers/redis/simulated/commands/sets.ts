import type { CommandContext, Commands } from '../command.ts';
import type { InnerReply } from '../reply.ts';
import { RedisSet } from '../values.ts';

export const SET_TYPE_COMMANDS: Commands = {
  sadd: [-3, 'write', add],
  srem: [-3, 'write', remove],
  scard: [2, 'read', (args, server) => membersOf(args, server)?.size ?? 0],
  smembers: [2, 'read', (args, server) => [...(membersOf(args, server) ?? [])]],
  sismember: [
    3,
    'read',
    (args, server) => Number(membersOf(args, server)?.has(args[2] ?? '') ?? false),
  ],
  smismember: [-3, 'read', several],
};

function membersOf(
  [, key = '']: readonly string[],
  { keys }: CommandContext,
): ReadonlySet<string> | undefined {
  return keys.collection(key, RedisSet)?.members;
}

function several(args: readonly string[], server: CommandContext): InnerReply {
  const members = membersOf(args, server);
  return args.slice(2).map((member) => Number(members?.has(member) ?? false));
}

function add(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = '', ...added] = args;
  const { members } = keys.getOrCreate(key, RedisSet);
  const before = members.size;
  for (const member of added) members.add(member);
  if (members.size > before) keys.wrote(args);
  return members.size - before;
}

function remove(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = '', ...removed] = args;
  const members = keys.collection(key, RedisSet)?.members;
  const gone = removed.filter((member) => members?.delete(member)).length;
  if (gone > 0) keys.wrote(args);
  keys.removeIfEmpty(key);
  return gone;
}
