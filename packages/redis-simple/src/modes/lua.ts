import { MARKERS } from '@holdfast/core/backend';

/** Sends to the waiters of a channel, by shard where the server has shard channels. A user may have no right to publish. */
export const NOTIFY_ON_CLUSTER: string = `
local function notify(name, message)
  local sent = redis.pcall('SPUBLISH', name, message)
  if type(sent) == 'table' and sent.err then redis.pcall('PUBLISH', name, message) end
end
`;
export const NOTIFY: string = `
local function notify(name, message)
  redis.pcall('PUBLISH', name, message)
end
`;

/**
 * Parts that the scripts of readers, writers and permits share. While several hold a key, the lock has a marker, which every
 * client takes for a holder, and `holders` has each hold as `‹permits›/‹of›/‹owner value›` with its deadline; a reader has
 * `1/0`. Without the marker no hold counts. `line` has the waiters as `‹mode›:‹permits›:‹of›:‹contender›` in order of arrival, and
 * `places` until when each of them counts, and half a ms more once it was called. Every script first drops what is over, by the
 * clock of the server; a value of another kind is left alone, and makes what needs its key fail.
 */
export const BEGIN: string = `
local lock, channel, holders, line, places = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function text(number) return string.format('%.0f', number) end
local function expire(set, other)
  while true do
    local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')
    if not first[1] or tonumber(first[2]) > now then return end
    redis.call('ZREM', set, first[1])
    if other then redis.call('ZREM', other, first[1]) end
  end
end
local marker = { s = '${MARKERS.shared}', p = '${MARKERS.permits}' }
local held = redis.call('GET', lock)
local kind = held == marker.s and 's' or held == marker.p and 'p' or nil
if kind then expire(holders) else
  local strays = redis.pcall('ZCARD', holders)
  if type(strays) == 'number' and strays > 0 then redis.call('DEL', holders) end
end
if kind and redis.call('ZCARD', holders) == 0 then
  redis.call('DEL', lock)
  held, kind = false, nil
end
expire(places, line)
local function mark(letter)
  local last = redis.call('ZRANGE', holders, -1, -1, 'WITHSCORES')
  local left = text(tonumber(last[2]) - now)
  redis.call('PEXPIRE', holders, left)
  redis.call('SET', lock, marker[letter], 'PX', left)
end
local function count(wanted)
  local used, smallest, other = 0, wanted, wanted
  for _, each in ipairs(redis.call('ZRANGE', holders, 0, -1)) do
    local own, of = string.match(each, '^(%d+)/(%d+)/')
    of = tonumber(of)
    used = used + tonumber(own)
    smallest = math.min(smallest, of)
    if of ~= wanted then other = of end
  end
  return used, smallest, other
end
`;

/** Draws a token from the fence under KEYS[6]: `token` is nil if what is there is none. */
export const DRAW: string = `
local function draw()
  local token = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local stored = redis.call('GET', KEYS[6])
  if stored then
    local last = tonumber(stored)
    if not last or last >= 9007199254740991 then return nil end
    if last >= token then token = last + 1 end
  end
  return token
end
local function keep(token)
  redis.call('SET', KEYS[6], text(token), 'PXAT', text(math.floor(token / 1000) + 86400000))
  return text(token)
end
`;

/**
 * Wakes those whose turn it is, at most 1 000, and each once until it asks again: otherwise every release would call a waiter
 * for each free permit. If nobody is in line, wakes those who have no place in it.
 */
export const WAKE: string = `
local function wake()
  local stored = redis.call('GET', lock)
  local mode = stored == marker.s and 's' or stored == marker.p and 'p' or nil
  if stored and not mode then return end
  local free = 1e15
  if mode == 'p' then
    local used, smallest = count(1e15)
    free = smallest - used
  end
  local called, from = 0, 0
  while called < 1000 do
    local some = redis.call('ZRANGE', line, from, from + 15)
    for _, each in ipairs(some) do
      local letter, permits, of, contender = string.match(each, '^(%a):(%d+):(%d+):(.*)$')
      if mode and letter ~= mode then return end
      if letter == 'p' then
        free = math.min(free, tonumber(of)) - tonumber(permits)
        if free < 0 then return end
      end
      local untilMs = tonumber(redis.call('ZSCORE', places, each) or 0)
      if untilMs % 1 == 0 then
        redis.call('ZADD', places, string.format('%.1f', untilMs + 0.5), each)
        notify(channel .. ':' .. contender, 'turn')
      end
      called = called + 1
      if letter == 'x' then return end
      mode = letter
    end
    if #some < 16 then break end
    from = from + 16
  end
  if called == 0 and not stored then notify(channel, 'released') end
end
`;
