import { FOREIGN_REASONS } from '@holdfast/redis';
import type { Reply, Script } from '@holdfast/redis/port';

/** Replies of the scripts to a key that can neither be acquired nor waited for, with the reason. */
export const FOREIGN: ReadonlyMap<Reply, string> = new Map<Reply, string>([
  [-1, FOREIGN_REASONS.noExpiry],
  [-2, FOREIGN_REASONS.notAnOwner],
  [-3, FOREIGN_REASONS.notAToken],
]);

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
 * Acquires several keys, or none, each as `ACQUIRE` does: all of one owner value, each with a token of its own. Checks every
 * key before the first write. A write that fails all the same, such as for a user who may not write one of the keys, takes
 * back the locks before it.
 */
export const ACQUIRE_ALL: Script = {
  name: 'acquire-all',
  source: `
-- KEYS lock and fence of each key in turn; ARGV[1] owner value, ARGV[2] ttl in ms
-- returns a list of strings: a fencing token for each key, all are taken
--         two integers: which key cannot be taken, counted from 1; and what acquire returns for it
local contender, n = string.match(ARGV[1], '^([^:]+):(%d+)')
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
local tokens = {}
for i = 1, #KEYS, 2 do
  local at = (i + 1) / 2
  local held = redis.call('GET', KEYS[i])
  if held then
    local holder, m = string.match(held, '^([^:]+):(%d+)')
    if not holder then return { at, -2 } end
    if holder ~= contender or tonumber(m) >= tonumber(n) then return { at, redis.call('PTTL', KEYS[i]) } end
  end
  local token = now
  local stored = redis.call('GET', KEYS[i + 1])
  if stored then
    local last = tonumber(stored)
    if not last or last >= 9007199254740991 then return { at, -3 } end
    if last >= token then token = last + 1 end
  end
  tokens[at] = token
end
local texts = {}
for i = 1, #KEYS, 2 do
  local token = tokens[(i + 1) / 2]
  texts[(i + 1) / 2] = string.format('%.0f', token)
  local expiry = string.format('%.0f', math.floor(token / 1000) + 86400000)
  redis.call('SET', KEYS[i + 1], texts[(i + 1) / 2], 'PXAT', expiry)
end
for i = 1, #KEYS, 2 do
  local written = redis.pcall('SET', KEYS[i], ARGV[1], 'PX', ARGV[2])
  if written.err then
    for j = 1, i - 2, 2 do redis.pcall('DEL', KEYS[j]) end
    return written
  end
end
return texts
`,
};

/**
 * The undo of a doubtful attempt for several keys: releases each as `RELEASE` does. It compares the whole owner value of
 * each, because one of them may have expired, and been taken by another client, before the others.
 */
export const RELEASE_ALL: Script = {
  name: 'release-all',
  source: `
-- KEYS lock and channel of each key in turn; ARGV[1] owner value
-- returns 1: something was released; 0: nothing of this attempt is stored
local released = 0
for i = 1, #KEYS, 2 do
  if redis.call('GET', KEYS[i]) == ARGV[1] then
    redis.call('DEL', KEYS[i])
    redis.pcall('PUBLISH', KEYS[i + 1], 'released')
    released = 1
  else
    redis.call('DEL', KEYS[i + 1])
  end
end
return released
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
