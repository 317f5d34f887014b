import type { Script } from '@holdfast/redis/port';

/**
 * Lengthens the vote if it still stands. It never shortens one, so that a renewal that comes late cannot take back
 * what a later one gave, and never re-creates one: a node that lost its data says so. Where there is nothing to write,
 * the DEL of a key that never exists makes a replica refuse, whose data may be old: `0` and `1` are definite answers.
 */
export const RENEW: Script = {
  name: 'renew',
  source: `
-- KEYS[1] vote, KEYS[2] channel, under which no key ever stands; ARGV[1] owner value, ARGV[2] ttl in ms
-- returns 1: ours for at least the ttl from now; 0: it is not ours any more
local held = redis.call('GET', KEYS[1])
if held ~= ARGV[1] then
  redis.call('DEL', KEYS[2])
  return 0
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
else
  redis.call('DEL', KEYS[2])
end
return 1
`,
};
