import type { Script } from '@holdfast/redis/port';
import { RELEASE_ALL_ON_CLUSTER } from './scripts-on-cluster.ts';

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

/** Lengthens the holds of several leases, each as `RENEW` does; a replica refuses whatever this comes to. */
export const RENEW_ALL: Script = {
  name: 'renew-all',
  source: `
-- KEYS[1] a channel, under which no key ever stands, then the locks; ARGV[1] ttl in ms, then the owner value of each lock
-- returns for each lock 1: held for at least the ttl from now; 0: gone, or not a string
local replies, hasWritten = {}, false
for i = 2, #KEYS do
  local isHeld = redis.pcall('GET', KEYS[i]) == ARGV[i]
  if isHeld and redis.call('PTTL', KEYS[i]) < tonumber(ARGV[1]) then
    redis.call('PEXPIRE', KEYS[i], ARGV[1])
    hasWritten = true
  end
  replies[i - 1] = isHeld and 1 or 0
end
if not hasWritten then redis.call('DEL', KEYS[1]) end
return replies
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
  onCluster: { source: RELEASE_ALL_ON_CLUSTER },
};
