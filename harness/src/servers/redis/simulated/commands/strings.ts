import type { CommandContext, Commands } from '../command.ts';
import { exactInteger, isInt64 } from '../numbers.ts';
import { type InnerReply, NOT_AN_INTEGER, RedisError } from '../reply.ts';

export const STRING_COMMANDS: Commands = {
  get: [2, 'read', ([, key = ''], { keys }) => keys.string(key) ?? null],
  mget: [-2, 'read', mget],
  strlen: [2, 'read', ([, key = ''], { keys }) => (keys.string(key) ?? '').length],
  getdel: [2, 'write', ([, key = ''], server) => getdel(key, server)],
  append: [3, 'write', append],
  incr: [2, 'write', (args, server) => add(args, 1n, server)],
  decr: [2, 'write', (args, server) => add(args, -1n, server)],
  incrby: [3, 'write', (args, server) => add(args, amount(args[2]), server)],
  decrby: [3, 'write', decrby],
};

function mget(args: readonly string[], { keys }: CommandContext): InnerReply {
  return args.slice(1).map((key) => {
    const value = keys.find(key)?.value;
    return typeof value === 'string' ? value : null;
  });
}

function getdel(key: string, { keys }: CommandContext): InnerReply {
  const value = keys.string(key);
  if (value === undefined) return null;
  keys.delete(key);
  keys.wrote(['DEL', key]);
  return value;
}

function append(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = '', more = ''] = args;
  const value = (keys.string(key) ?? '') + more;
  keys.set(key, value, keys.find(key)?.expiresAtMs);
  keys.wrote(args);
  return value.length;
}

function amount(text = ''): bigint {
  const by = exactInteger(text);
  if (by === undefined) throw new RedisError(NOT_AN_INTEGER);
  return by;
}

function decrby(args: readonly string[], server: CommandContext): InnerReply {
  const by = amount(args[2]);
  if (!isInt64(-by)) throw new RedisError('ERR decrement would overflow');
  return add(args, -by, server);
}

function add(args: readonly string[], by: bigint, { keys }: CommandContext): InnerReply {
  const [, key = ''] = args;
  const sum = amount(keys.string(key) ?? '0') + by;
  if (!isInt64(sum)) throw new RedisError('ERR increment or decrement would overflow');
  keys.set(key, `${sum}`, keys.find(key)?.expiresAtMs);
  keys.wrote(args);
  return Number(sum);
}
