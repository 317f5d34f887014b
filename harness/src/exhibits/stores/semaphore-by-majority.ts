import type { RedisNode, Script } from '@holdfast/redis/port';
import type { NaiveCall, NaiveLock } from './naive.ts';

/**
 * DO NOT USE. A semaphore on independent servers: each server counts its holders, by its own clock, and a majority decides.
 *
 * Where it comes from: Redlock with a count instead of a lock, as in `RedlockSemaphore` of redis-semaphore.
 *
 * What breaks it: with three servers and two permits there are six places, and a holder needs two of them. Three holders
 * that each miss another server have two places each. A majority excludes a second holder; it does not count to two.
 */
export function semaphoreByMajority(nodes: readonly RedisNode[]): NaiveLock {
  async function give({ key, owner, deadlineMs }: NaiveCall): Promise<boolean> {
    const replies = await Promise.allSettled(
      nodes.map((node) => node.command(['ZREM', key, owner], { deadlineMs })),
    );
    return votes(replies) > 0;
  }

  return {
    name: 'semaphore-by-majority',
    flaw: 'every server counts to two, and all majorities together count to three',
    validity: 'from-request',
    modes: ['permits'],
    give,

    async take(call) {
      const { key, owner, ttlMs, deadlineMs } = call;
      const args = [owner, `${ttlMs}`, `${OF}`];
      const replies = await Promise.allSettled(
        nodes.map((node) => node.script(TAKE, [key], args, { deadlineMs })),
      );
      if (votes(replies) > nodes.length / 2) return true;
      await give(call);
      return false;
    },
  };
}

/** Two at a time. */
export const OF = 2;

/** KEYS[1] the holders; ARGV[1] owner, ARGV[2] ttl, ARGV[3] permits. Returns 1 if it was entered. */
const TAKE: Script = {
  name: 'acquire',
  source: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
return 1`,
};

function votes(replies: readonly PromiseSettledResult<unknown>[]): number {
  return replies.filter((reply) => reply.status === 'fulfilled' && reply.value === 1).length;
}
