// Lesson 5. The holder believes that it holds until it releases, even if the lease is over. Have it look at the clock:
// validity is 'until-released', 'from-reply' or 'from-request'. One of them is right.
// Judge:  npx holdfast find ./docs/lessons/exercises/05-clock.js --fault pause --property validity
//    and  npx holdfast find ./docs/lessons/exercises/05-clock.js --fault pause-acquire --property validity
import { recipe } from '@holdfast/harness/exercise';

const RELEASE = {
  name: 'release',
  source: `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`,
};

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
  validity: 'until-released',
  value: (id) => id,

  async take({ lock, value, ttlMs, send }) {
    return (await send('SET', lock, value, 'NX', 'PX', ttlMs)) === 'OK';
  },

  async give({ lock, value, run }) {
    return (await run(RELEASE, [lock], [value])) === 1;
  },
});
