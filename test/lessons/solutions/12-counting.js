import { recipe } from '@holdfast/harness/exercise';

// KEYS[1] the holders; ARGV[1] value, ARGV[2] permits, ARGV[3] ttl
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
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

  async take({ lock, value, ttlMs, mode, send }) {
    return (await send('EVAL', TAKE, '1', lock, value, `${mode.of}`, ttlMs)) === 1;
  },

  async give({ lock, value, send }) {
    return (await send('ZREM', lock, value)) === 1;
  },
});
