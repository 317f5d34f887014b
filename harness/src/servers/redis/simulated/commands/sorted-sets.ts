import type { CommandContext, Commands } from '../command.ts';
import { float } from '../numbers.ts';
import { formatGeneral } from '../printf.ts';
import { type InnerReply, RedisError, SYNTAX } from '../reply.ts';
import { RedisSortedSet } from '../values.ts';
import { inOrder, RANGE_COMMANDS } from './sorted-set-ranges.ts';

export const SORTED_SET_COMMANDS: Commands = {
  ...RANGE_COMMANDS,
  zadd: [-4, 'write', zadd],
  zincrby: [4, 'write', increase],
  zrem: [-3, 'write', remove],
  zcard: [2, 'read', (args, server) => scoresOf(args, server)?.size ?? 0],
  zscore: [3, 'read', zscore],
  zrank: [3, 'read', (args, server) => rank(args, false, server)],
  zrevrank: [3, 'read', (args, server) => rank(args, true, server)],
};

function scoresOf(
  [, key = '']: readonly string[],
  { keys }: CommandContext,
): ReadonlyMap<string, number> | undefined {
  return keys.collection(key, RedisSortedSet)?.scores;
}

function zscore(args: readonly string[], server: CommandContext): InnerReply {
  const found = scoresOf(args, server)?.get(args[2] ?? '');
  return found === undefined ? null : formatGeneral(found, 17);
}

function increase(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = '', text, member = ''] = args;
  const by = float(text);
  const sum = (keys.collection(key, RedisSortedSet)?.scores.get(member) ?? 0) + by;
  if (Number.isNaN(sum)) throw new RedisError('ERR resulting score is not a number (NaN)');
  keys.getOrCreate(key, RedisSortedSet).scores.set(member, sum);
  keys.wrote(args);
  return formatGeneral(sum, 17);
}

function remove(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = '', ...members] = args;
  const scores = keys.collection(key, RedisSortedSet)?.scores;
  const gone = members.filter((member) => scores?.delete(member)).length;
  if (gone > 0) keys.wrote(args);
  keys.removeIfEmpty(key);
  return gone;
}

function rank(args: readonly string[], reversed: boolean, server: CommandContext): InnerReply {
  const scores = scoresOf(args, server);
  const at =
    scores === undefined ? -1 : inOrder(scores).findIndex(([member]) => member === args[2]);
  if (at < 0 || scores === undefined) return null;
  return reversed ? scores.size - 1 - at : at;
}

const OPTIONS: ReadonlySet<string> = new Set(['NX', 'XX', 'GT', 'LT', 'CH', 'INCR']);

interface ZaddOutcome {
  added: number;
  changed: number;
  /** The last score that was set; undefined if the options forbade it. */
  score: number | undefined;
}

/** @see https://redis.io/docs/latest/commands/zadd/ */
function zadd(args: readonly string[], { keys }: CommandContext): InnerReply {
  const [, key = ''] = args;
  const options = leadingOptions(args);
  const pairs = pairsOf(args.slice(2 + options.length), new Set(options));
  const wanted = new Set(options);
  const found = keys.collection(key, RedisSortedSet);
  const outcome: ZaddOutcome = { added: 0, changed: 0, score: undefined };
  if (found !== undefined || !wanted.has('XX')) {
    const { scores } = found ?? keys.getOrCreate(key, RedisSortedSet);
    try {
      for (const [member, score] of pairs) put(scores, member, score, wanted, outcome);
    } finally {
      if (outcome.added + outcome.changed > 0) keys.wrote(args);
      keys.removeIfEmpty(key);
    }
  }
  if (wanted.has('INCR'))
    return outcome.score === undefined ? null : formatGeneral(outcome.score, 17);
  return wanted.has('CH') ? outcome.added + outcome.changed : outcome.added;
}

function leadingOptions(args: readonly string[]): string[] {
  const words = args.slice(2).map((word) => word.toUpperCase());
  const end = words.findIndex((word) => !OPTIONS.has(word));
  return end < 0 ? words : words.slice(0, end);
}

function pairsOf(
  rest: readonly string[],
  options: ReadonlySet<string>,
): (readonly [string, number])[] {
  if (rest.length === 0 || rest.length % 2 === 1) throw new RedisError(SYNTAX);
  requireCompatible(options, rest.length / 2);
  return Array.from(
    { length: rest.length / 2 },
    (_, at) => [rest[2 * at + 1] ?? '', float(rest[2 * at])] as const,
  );
}

function requireCompatible(options: ReadonlySet<string>, pairs: number): void {
  if (options.has('NX') && options.has('XX'))
    throw new RedisError('ERR XX and NX options at the same time are not compatible');
  if ((['GT', 'LT', 'NX'] as const).filter((option) => options.has(option)).length > 1)
    throw new RedisError('ERR GT, LT, and/or NX options at the same time are not compatible');
  if (options.has('INCR') && pairs > 1)
    throw new RedisError('ERR INCR option supports a single increment-element pair');
}

function put(
  scores: Map<string, number>,
  member: string,
  given: number,
  options: ReadonlySet<string>,
  outcome: ZaddOutcome,
): void {
  const old = scores.get(member);
  if (options.has(old === undefined ? 'XX' : 'NX')) return;
  const score = options.has('INCR') ? (old ?? 0) + given : given;
  if (Number.isNaN(score)) throw new RedisError('ERR resulting score is not a number (NaN)');
  if (old !== undefined) {
    if ((options.has('GT') && score <= old) || (options.has('LT') && score >= old)) return;
    if (score !== old) outcome.changed++;
  } else outcome.added++;
  scores.set(member, score);
  outcome.score = score;
}
