import fc from 'fast-check';
import type { CommandLine } from './pair.ts';

/** Three keys and few values, so that types clash, options meet their conditions, and keys are overwritten. */
const key = fc.constantFrom('k1', 'k2', 'k3');
const value = fc.constantFrom('1', '2', 'abc', '', '-5', '3.5', 'zürich', '9223372036854775807');
const integer = fc.constantFrom(
  '0',
  '1',
  '-1',
  '2',
  '-2',
  '5',
  '100',
  'x',
  '1.5',
  '9223372036854775807',
  '-9223372036854775808',
  '',
);
const index = fc.constantFrom('0', '1', '-1', '2', '-3', '10', 'x');
const score = fc.constantFrom('0', '1', '-1', '2.5', '0.1', 'inf', '-inf', '1e3', 'x', '');
const bound = fc.constantFrom('0', '1', '(1', '2.5', '-inf', '+inf', '(2', 'x');
const field = fc.constantFrom('f1', 'f2', 'f3');
/** Seconds that round alike within a quarter of a second, and milliseconds far off: no key ends during a run. */
const seconds = fc.constantFrom('100', '5000', '0', '-1', 'x', '9223372036854775');
const milliseconds = fc.constantFrom('100000', '7000000', '0', '-1', 'x', '9223372036854775807');
const secondsAt = fc.constantFrom('4102444800', '1', '0', '-5', 'x', '9223372036854776');
const millisecondsAt = fc.constantFrom('4102444800000', '1', '0', '-5', 'x');

function line(
  ...parts: readonly (string | fc.Arbitrary<string> | fc.Arbitrary<string[]>)[]
): fc.Arbitrary<CommandLine> {
  const arbitraries = parts.map((part) =>
    typeof part === 'string'
      ? fc.constant([part])
      : part.map((one) => (typeof one === 'string' ? [one] : one)),
  );
  return fc.tuple(...arbitraries).map((words) => words.flat());
}

function word(...words: readonly string[]): fc.Arbitrary<string[]> {
  return fc.constantFrom(...words).map((one) => [one]);
}

/** Each option in any number and order, right or wrong. */
function options(...some: readonly fc.Arbitrary<string[]>[]): fc.Arbitrary<string[]> {
  return fc.array(fc.oneof(...some), { maxLength: 3 }).map((all) => all.flat());
}

function pair(name: string, text: fc.Arbitrary<string>): fc.Arbitrary<string[]> {
  return text.map((one) => [name, one]);
}

function several(...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string[]> {
  return fc.array(fc.tuple(...parts), { minLength: 1, maxLength: 3 }).map((all) => all.flat());
}

const setOptions = options(
  word('NX'),
  word('XX', 'xx'),
  word('GET', 'get'),
  word('KEEPTTL'),
  word('EX', 'WHAT'),
  pair('EX', seconds),
  pair('PX', milliseconds),
  pair('EXAT', secondsAt),
  pair('PXAT', millisecondsAt),
);
const conditions = options(word('NX', 'XX', 'GT', 'LT', 'gt', 'WHAT'));
/** An equal span counted from now may be greater, depending on the millisecond; it is never less. */
const conditionsFromNow = options(word('NX', 'XX', 'LT', 'WHAT'));

const strings = [
  line('GET', key),
  line('set', key, value, setOptions),
  line('SET', key, value),
  line('SET', key, value, 'KEEPTTL'),
  line('SET', key, value, pair('PX', milliseconds)),
  line('SETNX', key, value),
  line('GETSET', key, value),
  line('SETEX', key, seconds, value),
  line('PSETEX', key, milliseconds, value),
  line('GETDEL', key),
  line('MGET', several(key)),
  line('MSET', several(key, value)),
  line('APPEND', key, value),
  line('STRLEN', key),
  line('INCR', key),
  line('DECR', key),
  line('INCRBY', key, integer),
  line('DECRBY', key, integer),
];
const keys = [
  line('DEL', several(key)),
  line('UNLINK', several(key)),
  line('EXISTS', several(key)),
  line('TYPE', key),
  line('RENAME', key, key),
  line('RENAMENX', key, key),
  line('KEYS', fc.constantFrom('*', 'k[12]', 'k?', 'k[^1]', 'K*', 'k\\1', 'k[1-2]')),
  line(
    'SCAN',
    '0',
    options(
      pair('MATCH', fc.constantFrom('k*', 'k1')),
      pair('COUNT', fc.constantFrom('100', '0', 'x')),
      pair('TYPE', fc.constantFrom('string', 'hash', 'list')),
    ),
  ),
  line('EXPIRE', key, seconds, conditionsFromNow),
  line('PEXPIRE', key, milliseconds, conditionsFromNow),
  line('EXPIREAT', key, secondsAt, conditions),
  line('PEXPIREAT', key, millisecondsAt, conditions),
  line('TTL', key),
  line('PTTL', key),
  line('EXPIRETIME', key),
  line('PEXPIRETIME', key),
  line('PERSIST', key),
];
const hashes = [
  line('HSET', key, several(field, value)),
  line('HMSET', key, several(field, value)),
  line('HSETNX', key, field, value),
  line('HGET', key, field),
  line('HMGET', key, several(field)),
  line('HGETALL', key),
  line('HKEYS', key),
  line('HVALS', key),
  line('HLEN', key),
  line('HEXISTS', key, field),
  line('HSTRLEN', key, field),
  line('HDEL', key, several(field)),
  line('HINCRBY', key, field, integer),
];
const sets = [
  line('SADD', key, several(value)),
  line('SREM', key, several(value)),
  line('SCARD', key),
  line('SMEMBERS', key),
  line('SISMEMBER', key, value),
  line('SMISMEMBER', key, several(value)),
];
const lists = [
  line('LPUSH', key, several(value)),
  line('RPUSH', key, several(value)),
  line('LPUSHX', key, value),
  line('RPUSHX', key, several(value)),
  line('LPOP', key),
  line('RPOP', key),
  line('LPOP', key, integer),
  line('RPOP', key, integer),
  line('LLEN', key),
  line('LINDEX', key, index),
  line('LRANGE', key, index, index),
  line('LTRIM', key, index, index),
  line('LSET', key, index, value),
  line('LREM', key, index, value),
];
const zaddOptions = options(word('NX', 'XX', 'GT', 'LT', 'CH', 'INCR'));
const rangeOptions = options(
  word('WITHSCORES', 'REV', 'BYSCORE', 'WHAT'),
  fc.constantFrom(['LIMIT', '0', '1'], ['LIMIT', '1', '-1'], ['LIMIT', '1']),
);
const sortedSets = [
  line('ZADD', key, several(score, field)),
  line('ZADD', key, zaddOptions, several(score, field)),
  line('ZADD', key, zaddOptions, score, field),
  line('ZINCRBY', key, score, field),
  line('ZREM', key, several(field)),
  line('ZCARD', key),
  line('ZSCORE', key, field),
  line('ZRANK', key, field),
  line('ZREVRANK', key, field),
  line('ZCOUNT', key, bound, bound),
  line('ZRANGE', key, index, index, rangeOptions),
  line('ZRANGE', key, bound, bound, 'BYSCORE', rangeOptions),
  line('ZREVRANGE', key, index, index, options(word('WITHSCORES', 'REV'))),
  line('ZRANGEBYSCORE', key, bound, bound, rangeOptions),
  line('ZREVRANGEBYSCORE', key, bound, bound, rangeOptions),
  line('ZREMRANGEBYSCORE', key, bound, bound),
  line('ZREMRANGEBYRANK', key, index, index),
  line('ZPOPMIN', key),
  line('ZPOPMAX', key, integer),
];
const others = [
  line('PING'),
  line('PING', value),
  line('ECHO', value),
  line('PUBLISH', key, value),
  line('SELECT', fc.constantFrom('0', 'x')),
  line('NOPE', several(value)),
  line('get'),
  line('SET', key),
  line('HSET', key, field),
  line('MSET', key),
  line(
    'EVAL',
    'return redis.call(unpack(ARGV))',
    '0',
    fc
      .oneof(
        line('GET', key),
        line('INCR', key),
        line('SET', key, value, setOptions),
        line('HGETALL', key),
        line('NOPE', value),
      )
      .map((words) => [...words]),
  ),
];

function sequence(...groups: readonly fc.Arbitrary<CommandLine>[][]): fc.Arbitrary<CommandLine[]> {
  const command = fc.oneof(...groups.map((group) => fc.oneof(...group)));
  return fc.array(command, { minLength: 1, maxLength: 60, size: 'max' });
}

/** All commands that show the state of a key. */
const FINAL_LOOK: readonly CommandLine[] = ['k1', 'k2', 'k3'].flatMap((name) => [
  ['TYPE', name],
  ['PTTL', name],
  ['GET', name],
  ['HGETALL', name],
  ['LRANGE', name, '0', '-1'],
  ['SMEMBERS', name],
  ['ZRANGE', name, '0', '-1', 'WITHSCORES'],
]);

/**
 * Up to 60 commands on three keys, of all kinds or of few, because what one leaves behind shows only if another that
 * minds comes soon; and a look at what is there in the end.
 */
export const commandSequences: fc.Arbitrary<CommandLine[]> = fc
  .oneof(
    sequence(strings, keys, hashes, sets, lists, sortedSets, others),
    sequence(strings, keys),
    sequence(hashes, keys),
    sequence(lists, sets),
    sequence(sortedSets),
  )
  .map((commands) => [...commands, ...FINAL_LOOK]);
