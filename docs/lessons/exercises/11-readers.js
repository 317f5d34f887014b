// Lesson 11. The readers are a number: a late release takes one away that belongs to another reader. Keep each reader by its
// value, with a deadline by the server's clock.
// Judge:  npx holdfast find ./docs/lessons/exercises/11-readers.js --fault pause --property validity
import { COMPARE_AND_DELETE, recipe } from '@holdfast/harness/exercise';

// KEYS[1] the writer, KEYS[2] the readers; ARGV[1] shared or exclusive, ARGV[2] value, ARGV[3] ttl
const TAKE = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[1] == 'shared' then
  redis.call('INCR', KEYS[2])
  return redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

const LEAVE = `
if redis.call('DECR', KEYS[1]) < 1 then redis.call('DEL', KEYS[1]) end
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
    return (await send('EVAL', LEAVE, '1', `${lock}:readers`, value)) === 1;
  },
});
