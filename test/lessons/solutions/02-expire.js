import { recipe } from '@holdfast/harness/exercise';

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
  value: () => 'true',

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, send }) {
    return (await send('DEL', lock)) === 1;
  },
});
