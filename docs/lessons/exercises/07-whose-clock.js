// Lesson 7. The key is stamped with the time at which it ends, by the clock of the client that takes it. A client that
// finds a past stamp takes the key over. Clocks differ. Let the server expire the key, by its own clock.
// Judge:  npx holdfast find ./docs/lessons/exercises/07-whose-clock.js --fault client-clock
import { recipe } from '@holdfast/harness/exercise';

const TAKE_OVER = {
  name: 'acquire',
  source: `local stamp = redis.call('GET', KEYS[1])
if stamp and tonumber(string.match(stamp, '%d+$')) >= tonumber(ARGV[3]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])
return 1`,
};
const RELEASE = {
  name: 'release',
  source: `local stamp = redis.call('GET', KEYS[1])
if stamp and string.sub(stamp, 1, #ARGV[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`,
};

export const deployment = { needs: 'redis' };

export const openBackend = recipe({
  expires: true,
  validity: 'from-request',
  value: (id) => id,

  async take({ lock, value, ttlMs, wallMs, run }) {
    const now = Math.floor(wallMs());
    const endsAt = now + Number(ttlMs);
    return (await run(TAKE_OVER, [lock], [value, `${endsAt}`, `${now}`])) === 1;
  },

  async give({ lock, value, run }) {
    return (await run(RELEASE, [lock], [value])) === 1;
  },
});
