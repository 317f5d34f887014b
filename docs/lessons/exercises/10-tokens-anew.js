// Lesson 10. The token is counted next to the lock, and disappears with it, as a sequence number does in ZooKeeper when the
// empty container of a lock is removed. Let the count outlive the lock.
// Judge:  npx holdfast find ./docs/lessons/exercises/10-tokens-anew.js --fault pause --fenced
import { recipe } from '@holdfast/harness/exercise';

const TAKE = {
  name: 'acquire',
  source: `if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
local token = redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return token`,
};
const RELEASE = {
  name: 'release',
  source: `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1], KEYS[2]) end
return 0`,
};

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
  validity: 'from-request',
  value: (id) => id,

  async take({ lock, value, ttlMs, run }) {
    const token = await run(TAKE, [lock, `${lock}:token`], [value, ttlMs]);
    return token === 0 ? false : BigInt(token);
  },

  async give({ lock, value, run }) {
    return (await run(RELEASE, [lock, `${lock}:token`], [value])) > 0;
  },
});
