import type { RedisNode, Script } from '@holdfast/redis/port';
import type { NaiveLock } from './naive.ts';

/**
 * DO NOT USE. A lock with readers on one server: a set of readers with their deadlines, or a writer.
 *
 * Where it comes from: the first readers-writers problem (Courtois, Heymans, Parnas 1971), in which no reader waits as long
 * as only readers hold. Many locks over a counter of readers are like that.
 *
 * What breaks it: nothing lets a writer in while one reader comes before another has gone. It never holds
 * beside a reader, and may wait without end.
 */
export function readersFirst(node: RedisNode): NaiveLock {
  return {
    name: 'readers-first',
    flaw: 'a writer waits for as long as readers keep coming',
    validity: 'from-request',
    modes: ['shared'],

    async take({ key, owner, ttlMs, mode, deadlineMs }) {
      const kind = mode?.kind === 'shared' ? 'reader' : 'writer';
      return (await node.script(TAKE, [key], [owner, `${ttlMs}`, kind], { deadlineMs })) === 1;
    },

    async give({ key, owner, deadlineMs }) {
      const replies = [`reader:${owner}`, `writer:${owner}`];
      return (await node.command(['ZREM', key, ...replies], { deadlineMs })) === 1;
    },
  };
}

/** KEYS[1] the holders; ARGV[1] owner, ARGV[2] ttl, ARGV[3] reader or writer. Returns 1 if it was entered. */
const TAKE: Script = {
  name: 'acquire',
  source: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local first = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
if first and (ARGV[3] == 'writer' or string.sub(first, 1, 6) == 'writer') then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[3] .. ':' .. ARGV[1])
return 1`,
};
