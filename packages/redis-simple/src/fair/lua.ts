/** A chosen waiter has this long to claim the key. A process that was paused for longer loses its turn. */
export const CLAIM_MS = 500;
/** A process of which the server has heard nothing for this long is not chosen. It says that it lives every 2 s. */
const PRESENCE_MS = 10_000;

/**
 * Parts that the scripts of the fair queue share. The queue is a sorted set of `‹process›:‹contender›:‹label›` in order of
 * arrival. The chosen waiter is its first, with score 0, and the lock holds `‹contender›:00:‹label›` for as long as it may
 * claim: every client takes that for a holder. The second sorted set has the processes that wait, and until when each
 * counts as present.
 */

/** Refreshes a process, and keeps both sets for as long as somebody waits. */
const REFRESH = `
local function nowMs()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function refresh(process)
  redis.call('ZADD', present, string.format('%.0f', nowMs() + ${PRESENCE_MS}), process)
  redis.call('PEXPIRE', present, ${PRESENCE_MS})
  redis.call('PEXPIRE', queue, ${PRESENCE_MS})
end
`;

/** Sends to one process, by shard where the server has shard channels. A user may have no right to publish. */
const NOTIFY = `
local function notify(name, message)
  local sent = redis.pcall('SPUBLISH', name, message)
  if type(sent) == 'table' and sent.err then redis.pcall('PUBLISH', name, message) end
end
`;
const NOTIFY_PLAIN = `
local function notify(name, message)
  redis.pcall('PUBLISH', name, message)
end
`;

/**
 * Reserves a free key for the first waiter of a process that is present, and returns true; false if nobody waits. A waiter
 * that was chosen before and has not claimed is removed, and its process counts as absent until it is heard again, unless
 * it calls. So all waiters of a dead process cost one claim. Tells the chosen waiter, and those behind it that have just
 * come to the front.
 */
const CHOOSE_SOURCE = `
local function part(member)
  return string.match(member, '^([^:]+):([^:]+):(.*)$')
end
local function tell(kind, member)
  if not member then return end
  local process, contender = part(member)
  notify(channel .. ':' .. process, kind .. ':' .. contender)
end
local function choose(caller)
  local now = nowMs()
  local removed = false
  while true do
    local line = redis.call('ZRANGE', queue, 0, 2, 'WITHSCORES')
    local first = line[1]
    if not first then
      redis.call('DEL', present)
      return false
    end
    local process, contender, label = part(first)
    if line[2] == '0' and process ~= caller then redis.call('ZREM', present, process) end
    local until_ = redis.call('ZSCORE', present, process)
    if line[2] ~= '0' and until_ and tonumber(until_) > now then
      redis.call('ZADD', queue, 'XX', '0', first)
      redis.call('SET', lock, contender .. ':00:' .. label, 'PX', ${CLAIM_MS})
      tell('go', first)
      if removed then tell('watch', line[3]) end
      tell('watch', line[5])
      return true
    end
    redis.call('ZREM', queue, first)
    removed = true
  end
end
`;

export const CHOOSE: string = `${REFRESH}${NOTIFY_PLAIN}${CHOOSE_SOURCE}`;
export const CHOOSE_ON_CLUSTER: string = `${REFRESH}${NOTIFY}${CHOOSE_SOURCE}`;
