import { FOREIGN_REASONS, isInteger } from '@holdfast/redis';
import type { Reply, Script } from '@holdfast/redis/port';
import { FORCE_ON_CLUSTER, RELEASE_ON_CLUSTER, RENEW_ON_CLUSTER } from './scripts-on-cluster.ts';

/** Replies of the scripts to a key that can neither be acquired nor waited for, with the reason. */
export const FOREIGN: ReadonlyMap<Reply, string> = new Map<Reply, string>([
  [-1, FOREIGN_REASONS.noExpiry],
  [-2, FOREIGN_REASONS.notAnOwner],
  [-3, FOREIGN_REASONS.notAToken],
]);

/**
 * True for a fencing token, µs since 1970. It has more digits than the ms of the longest ttl, so that a remaining time
 * that came as a string is not taken for a token, and no more than a number holds exactly.
 */
export function isToken(reply: Reply): reply is string {
  return typeof reply === 'string' && /^[1-9]\d{8,15}$/.test(reply) && isInteger(Number(reply));
}

/**
 * Acquires the key if it is free, or held by an earlier attempt of the same contender: then with a full ttl and a new
 * token. Checks everything before the first write, and writes the lock last: whatever error the script ends with, the
 * key was not acquired. Formats token and expiry by `%.0f`, exact up to 2^53, because Lua's tostring keeps 14 digits.
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

/**
 * Deletes one hold and wakes the waiters; also the undo of a doubtful attempt. Compares the whole owner value, so that a
 * late release can never delete another attempt's hold. The notification may fail, for a user who may not publish: the
 * waiters then poll, and the key is free all the same. A replica refuses both branches.
 */
export const RELEASE: Script = {
  name: 'release',
  source: `
-- KEYS[1] lock, KEYS[2] channel, under which no key ever stands; ARGV[1] owner value
-- returns 1: released; 0: this hold was gone already
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  redis.call('DEL', KEYS[2])
  return 0
end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[2], 'released')
return 1
`,
  onCluster: { source: RELEASE_ON_CLUSTER, keys: 1 },
};

/**
 * Lengthens a hold that is still stored. Never shortens one, so that a late renewal cannot undo a later one, and never
 * re-creates a key: a hold that expired is over. If there is nothing to write, the DEL of a key that never exists makes
 * a replica refuse, whose data may be old: so `0` and `1` are definite replies.
 */
export const RENEW: Script = {
  name: 'renew',
  source: `
-- KEYS[1] lock, KEYS[2] channel, under which no key ever stands; ARGV[1] owner value, ARGV[2] ttl in ms
-- returns 1: held for at least the ttl from now; 0: this hold is gone
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
  onCluster: { source: RENEW_ON_CLUSTER, keys: 1 },
};

/** Deletes a hold of any holder and wakes the waiters. Leaves a value alone that is not a lock. */
export const FORCE: Script = {
  name: 'force',
  source: `
-- KEYS[1] lock, KEYS[2] channel, under which no key ever stands
-- returns 1: removed; 0: nobody held it; -2: the value is no owner value, left alone
local held = redis.call('GET', KEYS[1])
if not held then
  redis.call('DEL', KEYS[2])
  return 0
end
if not string.match(held, '^([^:]+):(%d+)') then return -2 end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[2], 'forced')
return 1
`,
  onCluster: { source: FORCE_ON_CLUSTER, keys: 1 },
};

/** Reads one key; writes nothing. */
export const INSPECT: Script = {
  name: 'inspect',
  source: `
-- KEYS[1] lock, KEYS[2] fence
-- returns { owner value or nil, PTTL of the lock in ms (-1 no expiry, -2 no key), last fencing token or nil }
return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) }
`,
};
