// Lesson 8. Five servers, and the first yes is taken for all of them. Any two majorities share a server: demand
// a majority, and release what was won if it is not enough.
// Judge:  npx holdfast find ./docs/lessons/exercises/08-majority.js --fault delay
import { recipe } from '@holdfast/harness/exercise';

const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
  validity: 'from-request',
  value: (id) => id,

  async take({ lock, value, ttlMs, sendAll }) {
    const replies = await sendAll('SET', lock, value, 'NX', 'PX', ttlMs);
    const votes = replies.filter((reply) => reply === 'OK').length;
    return votes > 0;
  },

  async give({ lock, value, sendAll }) {
    const replies = await sendAll('EVAL', RELEASE, '1', lock, value);
    return replies.includes(1);
  },
});
