import type { Script } from '@holdfast/redis/port';
import { CHOOSE, CHOOSE_ON_CLUSTER } from './lua.ts';

/** The same script with the notifications of a cluster. */
function script(name: string, source: (choose: string) => string): Script {
  return { name, source: source(CHOOSE), onCluster: { source: source(CHOOSE_ON_CLUSTER) } };
}

const KEYS = `
local lock, channel, queue, present = KEYS[1], KEYS[2], KEYS[3], KEYS[4]`;

/**
 * Acquires the key if it is free and nobody waits, or if it is reserved for this contender, or held by an earlier attempt
 * of it: then it leaves the queue. Else it has a place in the queue, and keeps the one that it had. A free key for which
 * others wait is reserved for the first of them. Token, checks and the order of the writes are those of `ACQUIRE`; a place
 * is no hold, so every error still means that the key was not acquired.
 */
export const ACQUIRE_FAIR: Script = script(
  'acquire',
  (choose) => `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] queue, KEYS[4] present, KEYS[5] fence
-- ARGV[1] owner value, ARGV[2] ttl in ms, ARGV[3] process
-- returns a string: the fencing token, the key is taken
--         four integers: somebody else has the key for so many ms; waiters in front; a number that grows with every
--         arrival; and 1 if the holder is a client that does not queue
--         -1 the key never expires, -2 its value is no owner value, -3 the fence is no token: foreign, left alone${KEYS}
local contender, n, label = string.match(ARGV[1], '^([^:]+):(%d+):(.*)$')
local member = ARGV[3] .. ':' .. contender .. ':' .. label
local held = redis.call('GET', lock)
local holder, m
if held then
  holder, m = string.match(held, '^([^:]+):(%d+)')
  if not holder then return -2 end
  if redis.call('PTTL', lock) == -1 then return -1 end
end
local last = redis.call('GET', KEYS[5])
if last then
  last = tonumber(last)
  if not last or last >= 9007199254740991 then return -3 end
end${choose}
local function join()
  local tail = redis.call('ZRANGE', queue, -1, -1, 'WITHSCORES')
  redis.call('ZADD', queue, 'NX', string.format('%.0f', (tonumber(tail[2]) or 0) + 1), member)
  refresh(ARGV[3])
end
if not held then
  local first = redis.call('ZRANGE', queue, 0, 0)[1]
  if first and first ~= member then
    join()
    choose(ARGV[3])
    holder, m = string.match(redis.call('GET', lock), '^([^:]+):(%d+)')
  end
end
if holder and (holder ~= contender or tonumber(m) >= tonumber(n)) then
  if holder == contender then return { redis.call('PTTL', lock), 0, 0, 0 } end
  join()
  local mixed = string.sub(m, 1, 1) == '0' and 0 or 1
  local arrival = tonumber(redis.call('ZSCORE', queue, member))
  return { redis.call('PTTL', lock), redis.call('ZRANK', queue, member), arrival, mixed }
end
local time = redis.call('TIME')
local token = tonumber(time[1]) * 1000000 + tonumber(time[2])
if last and last >= token then token = last + 1 end
local text = string.format('%.0f', token)
local expiry = string.format('%.0f', math.floor(token / 1000) + 86400000)
redis.call('SET', KEYS[5], text, 'PXAT', expiry)
if redis.call('ZREM', queue, member) == 1 and not redis.call('ZRANGE', queue, 0, 0)[1] then
  redis.call('DEL', present)
end
redis.call('SET', lock, ARGV[1], 'PX', ARGV[2])
return text
`,
);

/**
 * Ends one hold and reserves the key for the first in line; also the undo of a doubtful attempt. It takes no place out of
 * the queue, so a late undo cannot cost a waiter its turn. Compares the whole owner value, as `RELEASE` does.
 */
export const RELEASE_FAIR: Script = script(
  'release',
  (choose) => `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] queue, KEYS[4] present; ARGV[1] owner value
-- returns 1: released; 0: this hold was gone already${KEYS}${choose}
if redis.call('GET', lock) ~= ARGV[1] then
  redis.call('DEL', channel)
  return 0
end
redis.call('DEL', lock)
if not choose() then notify(channel, 'released') end
return 1
`,
);

/** Gives up one place, and with it the turn if this waiter has been chosen. It touches no hold. */
export const LEAVE: Script = script(
  'leave',
  (choose) => `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] queue, KEYS[4] present; ARGV[1] place in the queue, ARGV[2] value of the reservation
-- returns 1: it had a place; 0: it had none${KEYS}${choose}
local removed = redis.call('ZREM', queue, ARGV[1])
if redis.call('GET', lock) == ARGV[2] then
  redis.call('DEL', lock)
  if not choose() then notify(channel, 'released') end
elseif not redis.call('ZRANGE', queue, 0, 0)[1] then
  redis.call('DEL', present)
end
return removed
`,
);

/**
 * Says that a process still waits, and looks after the line: a key that has expired is reserved for the first in it. The
 * process names its first and its last place: if waiters were removed they were the first, and a server that lost its
 * latest writes lost the last.
 */
export const ATTEND: Script = script(
  'attend',
  (choose) => `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] queue, KEYS[4] present
-- ARGV[1] process, ARGV[2] its first place in the queue, ARGV[3] its last
-- returns 1: both places are there; 0: one is missing${KEYS}${choose}
local first = redis.call('ZSCORE', queue, ARGV[2])
local last = redis.call('ZSCORE', queue, ARGV[3])
if first or last then refresh(ARGV[1]) else redis.call('ZREM', present, ARGV[1]) end
if not redis.call('GET', lock) and redis.call('ZRANGE', queue, 0, 0)[1] then
  choose(ARGV[1])
  first = redis.call('ZSCORE', queue, ARGV[2])
  last = redis.call('ZSCORE', queue, ARGV[3])
end
if first and last then return 1 end
return 0
`,
);

/** As `FORCE`. A reservation is no hold and stays: the waiter that it is for claims the key, or it expires. */
export const FORCE_FAIR: Script = script(
  'force',
  (choose) => `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] queue, KEYS[4] present
-- returns 1: removed; 0: nobody held it; -2: the value is no owner value, left alone${KEYS}${choose}
local held = redis.call('GET', lock)
local holder, n = string.match(held or '', '^([^:]+):(%d+)')
if held and not holder then return -2 end
if not held or n == '00' then
  redis.call('DEL', channel)
  return 0
end
redis.call('DEL', lock)
if not choose() then notify(channel, 'forced') end
return 1
`,
);

/** Reads one key and the length of its queue; writes nothing. */
export const INSPECT_FAIR: Script = {
  name: 'inspect',
  source: `
-- KEYS[1] lock, KEYS[2] fence, KEYS[3] queue
-- returns { owner value or nil, PTTL of the lock in ms (-1 no expiry, -2 no key), last fencing token or nil, waiters }
return {
  redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]), redis.call('ZCARD', KEYS[3])
}
`,
};
