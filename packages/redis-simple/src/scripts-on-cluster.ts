/**
 * What a cluster runs in place of `RELEASE`, `RENEW` and `FORCE`. They declare the lock alone: while a slot moves, a node
 * refuses a call if one of its keys does not exist, and the key named like the channel never does, so a held lock could not
 * be renewed. They need not write in order to make a replica refuse: a replica in a cluster refuses every key.
 */

/**
 * Wakes the waiters of a channel: by shard, so that only one master's subscribers are bothered; Redis 6.2 has no shard
 * channels, so there by all nodes. The waiters subscribe by the same rule.
 */
const NOTIFY = `
local function notify(channel, message)
  local sent = redis.pcall('SPUBLISH', channel, message)
  if type(sent) == 'table' and sent.err then redis.pcall('PUBLISH', channel, message) end
end
`;

export const RELEASE_ON_CLUSTER: string = `
-- KEYS[1] lock; ARGV[1] channel, ARGV[2] owner value
-- returns 1: released; 0: this hold was gone already${NOTIFY}
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
notify(ARGV[1], 'released')
return 1
`;

export const RENEW_ON_CLUSTER: string = `
-- KEYS[1] lock; ARGV[1] channel, ARGV[2] owner value, ARGV[3] ttl in ms
-- returns 1: held for at least the ttl from now; 0: this hold is gone
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return 1
`;

export const FORCE_ON_CLUSTER: string = `
-- KEYS[1] lock; ARGV[1] channel
-- returns 1: removed; 0: nobody held it; -2: the value is no owner value, left alone${NOTIFY}
local held = redis.call('GET', KEYS[1])
if not held then return 0 end
if not string.match(held, '^([^:]+):(%d+)') then return -2 end
redis.call('DEL', KEYS[1])
notify(ARGV[1], 'forced')
return 1
`;

/** All keys of one call are in one slot, and so are their channels. */
export const RELEASE_ALL_ON_CLUSTER: string = `
-- KEYS lock and channel of each key in turn; ARGV[1] owner value
-- returns 1: something was released; 0: nothing of this attempt is stored${NOTIFY}
local released = 0
for i = 1, #KEYS, 2 do
  if redis.call('GET', KEYS[i]) == ARGV[1] then
    redis.call('DEL', KEYS[i])
    notify(KEYS[i + 1], 'released')
    released = 1
  end
end
return released
`;
