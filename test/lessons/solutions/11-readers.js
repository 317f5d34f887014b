import { COMPARE_AND_DELETE, recipe } from '@holdfast/harness/exercise';

// KEYS[1] the writer, KEYS[2] the readers; ARGV[1] shared or exclusive, ARGV[2] value, ARGV[3] ttl
const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[1] == 'shared' then return redis.call('ZADD', KEYS[2], now + ARGV[3], ARGV[2]) end
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

export const deployment = { needs: 'redis', clients: 'readers' };

export const openBackend = recipe({
  expires: true,
  validity: 'from-request',
  modes: ['shared'],
  value: (id) => id,

  async take({ lock, value, ttlMs, mode, send }) {
    return (await send('EVAL', TAKE, '2', lock, `${lock}:readers`, mode.kind, value, ttlMs)) === 1;
  },

  async give({ lock, value, mode, send, run }) {
    if (mode.kind === 'exclusive') return (await run(COMPARE_AND_DELETE, [lock], [value])) === 1;
    return (await send('ZREM', `${lock}:readers`, value)) === 1;
  },
});
