import type { Reply, Script } from '@holdfast/redis/port';

/** The reply of {@link ACQUIRE_PLAIN} if the key is taken. */
const ACQUIRED = 'acquired';

/** True if an attempt in the plain layout won. */
export function isAcquired(reply: Reply): reply is string {
  return reply === ACQUIRED;
}

/** The reply of {@link ACQUIRE_PLAIN} if another client holds the key without an expiry. */
export const NO_EXPIRY = -1;

/**
 * Acquires the very key that the user named if it is free, or held by an earlier attempt of the same contender. Any other
 * value is that of another client, whatever it is. Writes what `SET NX PX` of other libraries would.
 */
export const ACQUIRE_PLAIN: Script = {
  name: 'acquire',
  source: `
-- KEYS[1] the key; ARGV[1] owner value, ARGV[2] ttl in ms
-- returns 'acquired'; an integer from 0: somebody else holds the key for this many ms; -1: and it never expires
local held = redis.call('GET', KEYS[1])
if held then
  local holder, m = string.match(held, '^([^:]+):(%d+)')
  local contender, n = string.match(ARGV[1], '^([^:]+):(%d+)')
  if holder ~= contender or tonumber(m) >= tonumber(n) then return redis.call('PTTL', KEYS[1]) end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'acquired'
`,
};

/** Deletes one hold, as `RELEASE` does, and wakes nobody: other libraries do not listen, so all waiters poll. */
export const RELEASE_PLAIN: Script = {
  name: 'release',
  source: `
-- KEYS[1] the key, KEYS[2] a name under which no key ever stands; ARGV[1] owner value
-- returns 1: released; 0: this hold was gone already
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  redis.call('DEL', KEYS[2])
  return 0
end
return redis.call('DEL', KEYS[1])
`,
  onCluster: {
    source: `
-- KEYS[1] the key; ARGV[2] owner value
-- returns the same
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
return redis.call('DEL', KEYS[1])
`,
    keys: 1,
  },
};

/** Reads one key; writes nothing. */
export const INSPECT_PLAIN: Script = {
  name: 'inspect',
  source: `
-- KEYS[1] the key
-- returns { value or nil, PTTL in ms (-1 no expiry, -2 no key), nil }
return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]), false }
`,
};
