// Lesson 3. A late release frees another client's lock. `value` gets an id that is fresh for every contender: store it,
// and have the release compare before it deletes, both in one script:
//   run({ name: 'release', source: '…Lua…' }, [lock], [value])
// Judge:  npx holdfast find ./docs/lessons/exercises/03-whose.js --fault delay
import { recipe } from '@holdfast/harness/exercise';

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
  value: (_id) => 'client1',

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, send }) {
    return (await send('DEL', lock)) === 1;
  },
});
