import type { Script } from '@holdfast/redis/port';

/** The reply of {@link ADOPT} if the node has nothing to adopt. */
export const GONE = 'gone';

/**
 * Replaces an exported vote by the adopter's own, or an earlier attempt of this adopter: with a full ttl. Compares the
 * whole owner value, and gives no free vote. The DEL of a key that never exists makes a replica refuse, whose data may be
 * old: so `gone` is a definite reply.
 */
export const ADOPT: Script = {
  name: 'adopt',
  source: `
-- KEYS[1] vote, KEYS[2] channel, under which no key ever stands
-- ARGV[1] the adopter's owner value, ARGV[2] ttl in ms, ARGV[3] the exported owner value
-- returns 'agreed': the vote is the adopter's; 'gone': the exported one is not stored
local held = redis.call('GET', KEYS[1])
if held ~= ARGV[3] then
  local holder, m = string.match(held or '', '^([^:]+):(%d+)')
  local contender, n = string.match(ARGV[1], '^([^:]+):(%d+)')
  if holder ~= contender or tonumber(m) >= tonumber(n) then
    redis.call('DEL', KEYS[2])
    return 'gone'
  end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'agreed'
`,
};
