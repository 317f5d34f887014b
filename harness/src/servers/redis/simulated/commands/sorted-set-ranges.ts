import type { CommandContext, Commands } from '../command.ts';
import { count, integer, parseFloatText } from '../numbers.ts';
import { formatGeneral } from '../printf.ts';
import { type InnerReply, RedisError, SimUnsupportedError, SYNTAX } from '../reply.ts';
import { RedisSortedSet } from '../values.ts';
import { sliceBounds } from './lists.ts';

export type Scored = readonly [member: string, score: number];

export const RANGE_COMMANDS: Commands = {
  zrange: [-4, 'read', (args, server) => shown(zrange(args, args.slice(4), server), args.slice(4))],
  zrevrange: [-4, 'read', (args, server) => plainRange(args, ['REV'], ['WITHSCORES'], server)],
  zrangebyscore: [
    -4,
    'read',
    (args, server) => plainRange(args, ['BYSCORE'], ['WITHSCORES', 'LIMIT'], server),
  ],
  zrevrangebyscore: [
    -4,
    'read',
    (args, server) => plainRange(args, ['BYSCORE', 'REV'], ['WITHSCORES', 'LIMIT'], server),
  ],
  zcount: [4, 'read', (args, server) => byScore(args, server).length],
  zremrangebyscore: [4, 'write', (args, server) => removeAll(args, byScore(args, server), server)],
  zremrangebyrank: [
    4,
    'write',
    (args, server) => removeAll(args, byRank(args, false, server), server),
  ],
  zpopmin: [-2, 'write', (args, server) => pop(args, false, server)],
  zpopmax: [-2, 'write', (args, server) => pop(args, true, server)],
};

/** Sorts by score, and members of equal score by their bytes. */
export function inOrder(scores: ReadonlyMap<string, number>): Scored[] {
  return [...scores].toSorted(([a, x], [b, y]) => (x === y ? (a < b ? -1 : 1) : x < y ? -1 : 1));
}

function membersOf([, key = '']: readonly string[], { keys }: CommandContext): Scored[] {
  const scores = keys.collection(key, RedisSortedSet)?.scores;
  return scores === undefined ? [] : inOrder(scores);
}

interface RangeOptions {
  byScore: boolean;
  reversed: boolean;
  limit: readonly [offset: number, count: number] | undefined;
}

/** The older commands are ZRANGE with some options fixed and others allowed. */
function plainRange(
  args: readonly string[],
  given: readonly string[],
  allowed: readonly string[],
  server: CommandContext,
): InnerReply {
  const words = args.slice(4);
  const known = parse(words, allowed);
  const options = { ...known, byScore: given.includes('BYSCORE'), reversed: given.includes('REV') };
  return shown(chosen(args, options, server), words);
}

function zrange(
  args: readonly string[],
  words: readonly string[],
  server: CommandContext,
): Scored[] {
  const options = parse(words, ['WITHSCORES', 'LIMIT', 'BYSCORE', 'REV', 'BYLEX']);
  // The server treats a count of -1 as no limit.
  if ((options.limit?.[1] ?? -1) !== -1 && !options.byScore)
    throw new RedisError(
      'ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX',
    );
  return chosen(args, options, server);
}

function parse(words: readonly string[], allowed: readonly string[]): RangeOptions {
  const options: RangeOptions = { byScore: false, reversed: false, limit: undefined };
  for (let at = 0; at < words.length; at++) {
    const word = (words[at] ?? '').toUpperCase();
    if (!allowed.includes(word)) throw new RedisError(SYNTAX);
    if (word === 'BYLEX') throw new SimUnsupportedError('ZRANGE BYLEX');
    const again = (word === 'BYSCORE' && options.byScore) || (word === 'REV' && options.reversed);
    if (again) throw new RedisError(SYNTAX);
    if (word === 'BYSCORE') options.byScore = true;
    if (word === 'REV') options.reversed = true;
    if (word === 'LIMIT') {
      if (at + 2 >= words.length) throw new RedisError(SYNTAX);
      options.limit = [integer(words[++at]), integer(words[++at])];
    }
  }
  return options;
}

function shown(members: readonly Scored[], words: readonly string[]): InnerReply {
  const withScores = words.some((word) => word.toUpperCase() === 'WITHSCORES');
  if (!withScores) return members.map(([member]) => member);
  return members.flatMap(([member, score]) => [member, formatGeneral(score, 17)]);
}

function chosen(
  args: readonly string[],
  { byScore: scored, reversed, limit }: RangeOptions,
  server: CommandContext,
): Scored[] {
  if (!scored) return byRank(args, reversed, server);
  const [name = '', key = '', low = '', high = ''] = args;
  const found = byScore(reversed ? [name, key, high, low] : args, server);
  const ordered = reversed ? found.toReversed() : found;
  if (limit === undefined) return ordered;
  const [offset, most] = limit;
  if (offset < 0) return [];
  return ordered.slice(offset, most < 0 ? undefined : offset + most);
}

function byRank(args: readonly string[], reversed: boolean, server: CommandContext): Scored[] {
  const [from, to] = [integer(args[2]), integer(args[3])];
  const members = membersOf(args, server);
  return (reversed ? members.toReversed() : members).slice(
    ...sliceBounds(members.length, from, to),
  );
}

function byScore(args: readonly string[], server: CommandContext): Scored[] {
  const [low, high] = [bound(args[2] ?? ''), bound(args[3] ?? '')];
  return membersOf(args, server).filter(
    ([, score]) =>
      (low.open ? score > low.value : score >= low.value) &&
      (high.open ? score < high.value : score <= high.value),
  );
}

function bound(text: string): { value: number; open: boolean } {
  const open = text.startsWith('(');
  const value = parseFloatText(open ? text.slice(1) : text);
  if (value === undefined) throw new RedisError('ERR min or max is not a float');
  return { value, open };
}

function removeAll(
  args: readonly string[],
  members: readonly Scored[],
  { keys }: CommandContext,
): InnerReply {
  const [, key = ''] = args;
  const scores = keys.collection(key, RedisSortedSet)?.scores;
  for (const [member] of members) scores?.delete(member);
  if (members.length > 0) keys.wrote(args);
  keys.removeIfEmpty(key);
  return members.length;
}

function pop(args: readonly string[], largest: boolean, server: CommandContext): InnerReply {
  if (args.length > 3) throw new RedisError(SYNTAX);
  const size = args[2] === undefined ? 1 : count(args[2]);
  const members = membersOf(args, server);
  const taken = (largest ? members.toReversed() : members).slice(0, size);
  removeAll(args, taken, server);
  return shown(taken, ['WITHSCORES']);
}
