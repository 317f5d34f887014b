// Lesson 6. A late holder writes late. Issue tokens, so that the resource can tell: return a bigint instead of true,
// one that grows with every grant. (INCR, in the script that takes the key.)
// Judge:  npx holdfast find ./docs/lessons/exercises/06-fencing.js --fault pause --fenced
import { recipe } from '@holdfast/harness/exercise';

const TAKE = {
  name: 'acquire',
  source: `if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return 1 end
return 0`,
};
const RELEASE = {
  name: 'release',
  source: `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
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
    return (await run(RELEASE, [lock], [value])) === 1;
  },
});
