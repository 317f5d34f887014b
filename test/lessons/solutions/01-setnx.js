import { recipe } from '@holdfast/harness/exercise';

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: false,
  value: () => 'true',

  async take({ lock, value, ttlMs, send }) {
    if ((await send('SETNX', lock, value)) !== 1) return false;
    await send('PEXPIRE', lock, ttlMs);
    return true;
  },

  async give({ lock, send }) {
    return (await send('DEL', lock)) === 1;
  },
});
