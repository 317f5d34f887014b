import type { RedisNode, Script } from '@holdfast/redis/port';
import type { NaiveLock } from './naive.ts';

/**
 * DO NOT USE. A re-entrant lock: a hash with the process that holds, and how often. The same process enters again.
 *
 * Where it comes from: Redisson's lock, whose field is `‹client›:‹thread›`, in a language without threads: what is left is the
 * client.
 *
 * What breaks it: a process serves many requests at once. A second one that wants the key is taken for the first that enters
 * again, and both hold.
 */
export function reentrantByKey(node: RedisNode, client: string): NaiveLock {
  return {
    name: 'reentrant-by-key',
    flaw: 'another request of the same process is taken for a re-entry',
    validity: 'from-request',
    asksForEach: true,

    async take({ key, ttlMs, deadlineMs }) {
      return (await node.script(TAKE, [key], [client, `${ttlMs}`], { deadlineMs })) === 1;
    },

    async give({ key, deadlineMs }) {
      return (await node.script(GIVE, [key], [client], { deadlineMs })) === 1;
    },
  };
}

/** KEYS[1] the lock; ARGV[1] the client, ARGV[2] ttl. Returns 1 if it holds, perhaps once more. */
const TAKE: Script = {
  name: 'acquire',
  source: `
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`,
};

/** KEYS[1] the lock; ARGV[1] the client. Returns 1 if it held. */
const GIVE: Script = {
  name: 'release',
  source: `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) == 0 then redis.call('DEL', KEYS[1]) end
return 1`,
};
