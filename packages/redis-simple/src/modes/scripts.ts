import type { Script } from '@holdfast/redis/port';
import { BEGIN, DRAW, NOTIFY, NOTIFY_ON_CLUSTER, WAKE } from './lua.ts';

/** No place in line lasts longer, in ms. */
const PLACES_MS = 3_000;

/** The same script with the notifications of a cluster. */
function script(name: string, before: string, parts: string, body: string): Script {
  const source = (notify: string): string => `${before}${BEGIN}${notify}${parts}${body}`;
  return { name, source: source(NOTIFY), onCluster: { source: source(NOTIFY_ON_CLUSTER) } };
}

/**
 * Acquires the key in a mode, or keeps a place in line. A hold of an earlier attempt of this contender, whose reply was lost,
 * is replaced. Checks before it acquires anything, and writes the lock last, as `ACQUIRE` does. The first reader draws a token,
 * and those beside it have the same one; permits have none.
 */
export const ACQUIRE_MODE: Script = script(
  'acquire',
  `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] holders, KEYS[4] line, KEYS[5] places, KEYS[6] fence
-- ARGV[1] owner value, ARGV[2] ttl in ms, ARGV[3] s, x or p, ARGV[4] permits, ARGV[5] of how many, ARGV[6] ms for which a
-- place in line lasts; then earlier owner values of this contender that may hold
-- returns { 1, token or '', number of permits, of a holder that knows of another one if there is any }: acquired
--         { 0, ms for which it is taken, 0 if it is free, that number }: others hold it or are in front
--         -1 the key never expires, -2 its value is no owner value, -3 the fence is no token: foreign, left alone
--         -4 readers hold it, -5 holders of permits do: another mode, left alone`,
  DRAW,
  `
local owner, ttl, mode, permits, of = ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local contender, n = string.match(owner, '^([^:]+):(%d+)')
local prefix = ARGV[4] .. '/' .. ARGV[5] .. '/'
local place = mode .. ':' .. ARGV[4] .. ':' .. ARGV[5] .. ':' .. contender
local own = false
if held and not kind then
  local holder, m = string.match(held, '^([^:]+):(%d+)')
  if not holder then return -2 end
  if redis.call('PTTL', lock) == -1 then return -1 end
  own = mode == 'x' and holder == contender and tonumber(m) < tonumber(n)
end
if kind and (mode == 'p') ~= (kind == 'p') then return kind == 's' and -4 or -5 end
local token = draw()
if not token and mode ~= 'p' then return -3 end
for i = 7, #ARGV do
  if redis.call('ZREM', holders, prefix .. ARGV[i]) == 1 then own = true end
end
local number, free = of, own
if mode == 'p' and kind then
  local used, smallest, other = count(of)
  number = other
  free = own or used + permits <= smallest
elseif not own then
  free = not held or (mode == 's' and kind == 's')
end
local function isBehind()
  local from = 0
  while true do
    local some = redis.call('ZRANGE', line, from, from + 15)
    for _, each in ipairs(some) do
      if each == place then return false end
      if mode ~= 's' or string.sub(each, 1, 1) ~= 's' then return true end
    end
    if #some < 16 then return false end
    from = from + 16
  end
end
if not own and (not free or isBehind()) then
  if not redis.call('ZSCORE', line, place) then
    local tail = redis.call('ZRANGE', line, -1, -1, 'WITHSCORES')
    redis.call('ZADD', line, text((tonumber(tail[2]) or 0) + 1), place)
  end
  redis.call('ZADD', places, text(now + tonumber(ARGV[6])), place)
  redis.call('PEXPIRE', line, ${PLACES_MS})
  redis.call('PEXPIRE', places, ${PLACES_MS})
  if free or not held then return { 0, 0, number } end
  if mode ~= 'p' or not kind then return { 0, math.max(1, redis.call('PTTL', lock)), number } end
  local first = redis.call('ZRANGE', holders, 0, 0, 'WITHSCORES')
  return { 0, math.max(1, tonumber(first[2]) - now), number }
end
redis.call('ZREM', line, place)
redis.call('ZREM', places, place)
if mode == 'x' then
  local drawn = keep(token)
  redis.call('SET', lock, owner, 'PX', ARGV[2])
  return { 1, drawn, number }
end
local drawn = ''
if mode == 's' then drawn = kind and redis.call('GET', KEYS[6]) or keep(token) end
redis.call('ZADD', holders, text(now + ttl), prefix .. owner)
mark(mode)
return { 1, drawn, number }
`,
);

/** Ends one hold and wakes whose turn it is; also the undo of a doubtful attempt. Compares the whole hold, as `RELEASE` does. */
export const RELEASE_MODE: Script = script(
  'release',
  `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] holders, KEYS[4] line, KEYS[5] places; ARGV[1] the hold; of a writer x/ and its owner value
-- returns 1: released; 0: this hold was gone already`,
  WAKE,
  `
local writer = string.match(ARGV[1], '^x/(.*)$')
if writer then
  if held ~= writer then
    redis.call('DEL', channel)
    return 0
  end
  redis.call('DEL', lock)
else
  if not kind or redis.call('ZREM', holders, ARGV[1]) == 0 then
    redis.call('DEL', channel)
    return 0
  end
  if redis.call('ZCARD', holders) == 0 then redis.call('DEL', lock) else mark(kind) end
end
wake()
return 1
`,
);

/** Lengthens holds beside others, and never shortens one. */
export const RENEW_MODE: Script = script(
  'renew',
  `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] holders, KEYS[4] line, KEYS[5] places; ARGV[1] ttl in ms, then the holds
-- returns for each hold 1: held for at least the ttl from now; 0: gone`,
  '',
  `
local replies, isAny = {}, false
for i = 2, #ARGV do
  local untilMs = kind and redis.call('ZSCORE', holders, ARGV[i])
  if untilMs and tonumber(untilMs) < now + tonumber(ARGV[1]) then
    redis.call('ZADD', holders, text(now + tonumber(ARGV[1])), ARGV[i])
  end
  replies[i - 1] = untilMs and 1 or 0
  isAny = isAny or untilMs
end
if isAny then mark(kind) else redis.call('DEL', channel) end
return replies
`,
);

/** Gives up one place in line. It touches no hold. */
export const LEAVE_MODE: Script = script(
  'leave',
  `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] holders, KEYS[4] line, KEYS[5] places; ARGV[1] the place
-- returns 1: it had a place; 0: it had none`,
  WAKE,
  `
redis.call('ZREM', places, ARGV[1])
local removed = redis.call('ZREM', line, ARGV[1])
if removed == 1 then wake() else redis.call('DEL', channel) end
return removed
`,
);

/** Makes a writer a reader, in one step: a new token, and whoever reads next comes in. As `ADOPT` it takes no free key. */
export const DOWNGRADE: Script = script(
  'adopt',
  `
-- KEYS[1] lock, KEYS[2] channel, KEYS[3] holders, KEYS[4] line, KEYS[5] places, KEYS[6] fence
-- ARGV[1] the reader's owner value, ARGV[2] ttl in ms, ARGV[3] the writer's; then earlier ones of this reader that may hold
-- returns { 1, token, 0 }: a reader now; 'gone': the writer is not stored; -3 the fence is no token: foreign, left alone`,
  DRAW + WAKE,
  `
local token = draw()
if not token then return -3 end
local own = false
for i = 4, #ARGV do
  if kind == 's' and redis.call('ZREM', holders, '1/0/' .. ARGV[i]) == 1 then own = true end
end
if held ~= ARGV[3] and not own then
  redis.call('DEL', channel)
  return 'gone'
end
local drawn = keep(token)
redis.call('ZADD', holders, text(now + tonumber(ARGV[2])), '1/0/' .. ARGV[1])
mark('s')
wake()
return { 1, drawn, 0 }
`,
);
