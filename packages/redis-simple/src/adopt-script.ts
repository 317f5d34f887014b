import type { Script } from '@holdfast/redis/port';

/** The reply of {@link ADOPT} if the store has nothing to adopt. */
export const GONE = 'gone';

/** What follows once `owner`, `ttl`, `exported` and `gone` are known. */
const REPLACE = `
local held = redis.call('GET', KEYS[1])
if held ~= exported then
  local holder, m = string.match(held or '', '^([^:]+):(%d+)')
  local contender, n = string.match(owner, '^([^:]+):(%d+)')
  if holder ~= contender or tonumber(m) >= tonumber(n) then return gone() end
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
redis.call('SET', KEYS[1], owner, 'PX', ttl)
return text
`;

/**
 * Replaces an exported hold by the adopter's own, or an earlier attempt of this adopter: with a full ttl and a new token.
 * Compares the whole owner value, takes no free key, and checks and writes like `ACQUIRE`. The DEL of a key that
 * never exists makes a replica refuse, whose data may be old: so `gone` is a definite reply. In a cluster a replica refuses
 * every key; there the channel is not declared, since an exported hold could not be adopted while its slot moves.
 */
export const ADOPT: Script = {
  name: 'adopt',
  source: `
-- KEYS[1] lock, KEYS[2] fence, KEYS[3] channel, under which no key ever stands
-- ARGV[1] the adopter's owner value, ARGV[2] ttl in ms, ARGV[3] the exported owner value
-- returns a string: the fencing token, the lease is adopted; 'gone': it is not stored
--         -3 the fence is no token: foreign, left alone
local owner, ttl, exported = ARGV[1], ARGV[2], ARGV[3]
local function gone()
  redis.call('DEL', KEYS[3])
  return 'gone'
end${REPLACE}`,
  onCluster: {
    source: `
-- KEYS[1] lock, KEYS[2] fence; ARGV[1] channel, and behind it what a standalone server gets
-- returns the same
local owner, ttl, exported = ARGV[2], ARGV[3], ARGV[4]
local function gone() return 'gone' end${REPLACE}`,
    keys: 2,
  },
};
