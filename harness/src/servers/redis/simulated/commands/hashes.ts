import type { CommandContext, Commands } from '../command.ts';
import { exactInteger, isInt64 } from '../numbers.ts';
import { type InnerReply, NOT_AN_INTEGER, OK, RedisError } from '../reply.ts';
import { RedisHash } from '../values.ts';

export const HASH_COMMANDS: Commands = {
  hset: [-4, 'write', (args, server) => put(args, server)],
  hmset: [-4, 'write', (args, server) => (put(args, server), OK)],
  hsetnx: [4, 'write', putNew],
  hget: [3, 'read', (args, server) => fieldsOf(args, server)?.get(args[2] ?? '') ?? null],
  hmget: [-3, 'read', (args, server) => several(args, fieldsOf(args, server))],
  hgetall: [2, 'read', (args, server) => [...(fieldsOf(args, server) ?? [])].flat()],
  hkeys: [2, 'read', (args, server) => [...(fieldsOf(args, server)?.keys() ?? [])]],
  hvals: [2, 'read', (args, server) => [...(fieldsOf(args, server)?.values() ?? [])]],
  hlen: [2, 'read', (args, server) => fieldsOf(args, server)?.size ?? 0],
  hexists: [
    3,
    'read',
    (args, server) => Number(fieldsOf(args, server)?.has(args[2] ?? '') ?? false),
  ],
  hstrlen: [3, 'read', (args, server) => (fieldsOf(args, server)?.get(args[2] ?? '') ?? '').length],
  hdel: [-3, 'write', remove],
  hincrby: [4, 'write', add],
};

type Fields = ReadonlyMap<string, string>;

function fieldsOf([, key = '']: readonly string[], { keys }: CommandContext): Fields | undefined {
  return keys.collection(key, RedisHash)?.fields;
}

function several(args: readonly string[], fields: Fields | undefined): InnerReply {
  return args.slice(2).map((field) => fields?.get(field) ?? null);
}

function put(args: readonly string[], { keys }: CommandContext): number {
  const [name = '', key = ''] = args;
  if (args.length % 2 === 1)
    throw new RedisError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
  const { fields } = keys.getOrCreate(key, RedisHash);
  const before = fields.size;
  for (let at = 2; at < args.length; at += 2) fields.set(args[at] ?? '', args[at + 1] ?? '');
  keys.wrote(args);
  return fields.size - before;
}

function putNew(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = '', field = '', value = ''] = args;
  const { fields } = keys.getOrCreate(key, RedisHash);
  if (fields.has(field)) return 0;
  fields.set(field, value);
  keys.wrote(args);
  return 1;
}

function remove(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = '', ...names] = args;
  const fields = keys.collection(key, RedisHash)?.fields;
  const gone = names.filter((name) => fields?.delete(name)).length;
  if (gone > 0) keys.wrote(args);
  keys.removeIfEmpty(key);
  return gone;
}

function add(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = '', field = '', text = ''] = args;
  const by = exactInteger(text);
  if (by === undefined) throw new RedisError(NOT_AN_INTEGER);
  const before = exactInteger(keys.collection(key, RedisHash)?.fields.get(field) ?? '0');
  if (before === undefined) throw new RedisError('ERR hash value is not an integer');
  const sum = before + by;
  if (!isInt64(sum)) throw new RedisError('ERR increment or decrement would overflow');
  keys.getOrCreate(key, RedisHash).fields.set(field, `${sum}`);
  keys.wrote(args);
  return Number(sum);
}
