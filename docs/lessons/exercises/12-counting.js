// Lesson 12. Two may hold at once. Each client drops the holders that are too old by its own clock: let the server's decide.
// Judge:  npx holdfast find ./docs/lessons/exercises/12-counting.js --fault client-clock
import { recipe } from '@holdfast/harness/exercise';

// KEYS[1] the holders; ARGV[1] value, ARGV[2] permits, ARGV[3] ttl, ARGV[4] now
const TAKE = `
local now = tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
return 1`;

export const deployment = { needs: 'redis', clients: 'permits' };

export const openBackend = recipe({
  expires: true,
  validity: 'from-request',
  modes: ['permits'],
  value: (id) => id,

  async take({ lock, value, ttlMs, mode, wallMs, send }) {
    return (await send('EVAL', TAKE, '1', lock, value, `${mode.of}`, ttlMs, `${wallMs()}`)) === 1;
  },

  async give({ lock, value, send }) {
    return (await send('ZREM', lock, value)) === 1;
  },
});
