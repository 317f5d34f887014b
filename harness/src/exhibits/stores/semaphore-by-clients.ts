import type { Runtime } from '@holdfast/core/backend';
import type { RedisNode, Script } from '@holdfast/redis/port';
import type { NaiveLock } from './naive.ts';

/**
 * DO NOT USE. A semaphore as a sorted set, in which each holder has the time of its own clock as its score.
 *
 * Where it comes from: "Redis in Action", chapter 6.3.1, "Building a basic counting semaphore", and libraries after it.
 *
 * What breaks it: every client drops what is too old by its own clock. One whose clock is ahead drops holders that have just
 * come, and takes their places.
 */
export function semaphoreByClients(node: RedisNode, runtime: Runtime): NaiveLock {
  return {
    name: 'semaphore-by-clients',
    flaw: 'each client drops the holders that are too old by its own clock',
    validity: 'from-request',
    modes: ['permits'],

    async take({ key, owner, ttlMs, deadlineMs }) {
      const { wallMs } = runtime.now();
      const args = [owner, `${wallMs}`, `${wallMs - ttlMs}`, `${PERMITS}`];
      return (await node.script(TAKE, [key], args, { deadlineMs })) === 1;
    },

    async give({ key, owner, deadlineMs }) {
      return (await node.command(['ZREM', key, owner], { deadlineMs })) === 1;
    },
  };
}

/** KEYS[1] the holders; ARGV[1] owner, ARGV[2] now, ARGV[3] what is too old, ARGV[4] permits. Returns 1 if it was entered. */
const TAKE: Script = {
  name: 'acquire',
  source: `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
if redis.call('ZRANK', KEYS[1], ARGV[1]) < tonumber(ARGV[4]) then return 1 end
redis.call('ZREM', KEYS[1], ARGV[1])
return 0`,
};

/** Two at a time. */
export const PERMITS = 2;
