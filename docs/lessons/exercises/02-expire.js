// Lesson 2. Two commands are one too many: a crash between them locks the shop for ever. Take the key in one step.
// Judge:  npx holdfast find ./docs/lessons/exercises/02-expire.js --fault holder-crash --property liveness
import { recipe } from '@holdfast/harness/exercise';

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
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
