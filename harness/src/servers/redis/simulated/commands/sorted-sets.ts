import type { Commands, Server } from '../command.ts';
import { float } from '../numbers.ts';
import { formatGeneral } from '../printf.ts';
import { type InnerReply, RedisError } from '../reply.ts';
import { RedisSortedSet } from '../values.ts';
import { inOrder, RANGE_COMMANDS } from './sorted-set-ranges.ts';
import { zadd } from './zadd.ts';

export const SORTED_SET_COMMANDS: Commands = {
  ...RANGE_COMMANDS,
  zadd: [-4, 'write', zadd],
  zincrby: [4, 'write', increase],
  zrem: [-3, 'write', remove],
  zcard: [2, 'read', (args, server) => scoresOf(args, server)?.size ?? 0],
  zscore: [3, 'read', score],
  zrank: [3, 'read', (args, server) => rank(args, false, server)],
  zrevrank: [3, 'read', (args, server) => rank(args, true, server)],
};

function scoresOf(
  [, key = '']: readonly string[],
  { keys }: Server,
): ReadonlyMap<string, number> | undefined {
  return keys.collection(key, RedisSortedSet)?.scores;
}

function score(args: readonly string[], server: Server): InnerReply {
  const found = scoresOf(args, server)?.get(args[2] ?? '');
  return found === undefined ? null : formatGeneral(found, 17);
}

function increase(args: readonly string[], { keys }: Server): InnerReply {
  const [, key = '', text, member = ''] = args;
  const by = float(text);
  const sum = (keys.collection(key, RedisSortedSet)?.scores.get(member) ?? 0) + by;
  if (Number.isNaN(sum)) throw new RedisError('ERR resulting score is not a number (NaN)');
  keys.grown(key, RedisSortedSet).scores.set(member, sum);
  keys.wrote(args);
  return formatGeneral(sum, 17);
}

function remove(args: readonly string[], { keys }: Server): InnerReply {
  const [, key = '', ...members] = args;
  const scores = keys.collection(key, RedisSortedSet)?.scores;
  const gone = members.filter((member) => scores?.delete(member)).length;
  if (gone > 0) keys.wrote(args);
  keys.settle(key);
  return gone;
}

function rank(args: readonly string[], reversed: boolean, server: Server): InnerReply {
  const scores = scoresOf(args, server);
  const at =
    scores === undefined ? -1 : inOrder(scores).findIndex(([member]) => member === args[2]);
  if (at < 0 || scores === undefined) return null;
  return reversed ? scores.size - 1 - at : at;
}
