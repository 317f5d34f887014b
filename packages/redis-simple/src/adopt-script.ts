import type { Script } from '@holdfast/redis/port';

/** The reply of {@link ADOPT} if the store has nothing to adopt. */
export const GONE = 'gone';

/**
 * Replaces an exported hold by the adopter's own, or an earlier attempt of this adopter: with a full ttl and a new token.
 * Compares the whole owner value, takes no free key, and checks and writes like `ACQUIRE`. The DEL of a key that
 * never exists makes a replica refuse, whose data may be old: so `gone` is a definite reply.
 */
export const ADOPT: Script = {
  name: 'adopt',
  source: `
-- KEYS[1] lock, KEYS[2] fence, KEYS[3] channel, under which no key ever stands
-- ARGV[1] the adopter's owner value, ARGV[2] ttl in ms, ARGV[3] the exported owner value
-- returns a string: the fencing token, the lease is adopted; 'gone': it is not stored
--         -3 the fence is no token: foreign, left alone
local held = redis.call('GET', KEYS[1])
if held ~= ARGV[3] then
  local holder, m = string.match(held or '', '^([^:]+):(%d+)')
  local contender, n = string.match(ARGV[1], '^([^:]+):(%d+)')
  if holder ~= contender or tonumber(m) >= tonumber(n) then
    redis.call('DEL', KEYS[3])
    return 'gone'
  end
end
local stored = redis.call('GET', KEYS[2])
local time = redis.call('TIME')
local token = tonumber(time[1]) * 1000000 + tonumber(time[2])
if stored then
  local last = tonumber(stored)
  if not last or last >= 9007199254740991 then return -3 end
  if last >= token then token = last + 1 end
end
local text = string.format('%.0f', token)
local expiry = string.format('%.0f', math.floor(token / 1000) + 86400000)
redis.call('SET', KEYS[2], text, 'PXAT', expiry)
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return text
`,
};
