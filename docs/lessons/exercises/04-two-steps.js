// Lesson 4. Between GET and DEL another client may take the key. Do both in one script:
//   run({ name: 'release', source: '…Lua…' }, [lock], [value])
// Judge:  npx holdfast find ./docs/lessons/exercises/04-two-steps.js --fault delay
import { recipe } from '@holdfast/harness/exercise';

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
  value: (id) => id,

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, value, send }) {
    if ((await send('GET', lock)) !== value) return false;
    return (await send('DEL', lock)) === 1;
  },
});
