import { recipe } from '@holdfast/harness/exercise';

const RELEASE = {
  name: 'release',
  source: `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`,
};

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
  value: (id) => id,

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, value, run }) {
    return (await run(RELEASE, [lock], [value])) === 1;
  },
});
