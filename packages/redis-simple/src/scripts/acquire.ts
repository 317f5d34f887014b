import type { Script } from '@holdfast/redis/port';

/** What {@link ACQUIRE} returns where the key can neither be taken nor waited for. */
export const FOREIGN = { noExpiry: -1, notAnOwner: -2, notAToken: -3 } as const;

/**
 * Takes the key if it is free, or held by an earlier attempt of the same contender (then with a full ttl and a new
 * token). Everything is checked before the first write, and the lock is written last: whatever error comes out of
 * it, the key was not taken. Token and expiry are formatted by `%.0f`, exact up to 2^53, because Lua's tostring
 * keeps 14 digits.
 */
export const ACQUIRE: Script = {
  name: 'acquire',
  source: `
-- KEYS[1] lock, KEYS[2] fence; ARGV[1] owner value, ARGV[2] ttl in ms
-- returns a string: the fencing token, the key is taken
--         an integer from 0: somebody else holds the key for this many ms
--         -1 the key never expires, -2 its value is no owner value, -3 the fence is no token: foreign, left alone
local held = redis.call('GET', KEYS[1])
if held then
  local holder, m = string.match(held, '^([^:]+):(%d+)')
  if not holder then return -2 end
  local contender, n = string.match(ARGV[1], '^([^:]+):(%d+)')
  if holder ~= contender or tonumber(m) >= tonumber(n) then return redis.call('PTTL', KEYS[1]) end
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
