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
    if (votes > replies.length / 2) return true;
    await sendAll('EVAL', RELEASE, '1', lock, value);
    return false;
  },

  async give({ lock, value, sendAll }) {
    const replies = await sendAll('EVAL', RELEASE, '1', lock, value);
    return replies.includes(1);
  },
});
