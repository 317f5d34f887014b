import { FOREIGN_REASONS } from '@holdfast/redis';
import type { Reply, Script } from '@holdfast/redis/port';

/** The reply of {@link ACQUIRE} if the node gives its vote. */
export const AGREED = 'agreed';
/** Replies of the scripts to a key that can neither be acquired nor waited for, with the reason. */
export const FOREIGN: ReadonlyMap<Reply, string> = new Map<Reply, string>([
  [-1, FOREIGN_REASONS.noExpiry],
  [-2, FOREIGN_REASONS.notAnOwner],
]);

/**
 * Stores the node's vote if it is free, or given to a smaller n of the same contender: then with a full ttl. Checks
 * everything before the only write: whatever error the script ends with, the vote was not given.
 */
export const ACQUIRE: Script = {
  name: 'acquire',
  source: `
-- KEYS[1] vote; ARGV[1] owner value, ARGV[2] ttl in ms
-- returns 'agreed': the vote is ours
--         an integer from 0: somebody else has it for this many ms
--         -1 it never expires, -2 its value is no owner value: foreign, left alone
local held = redis.call('GET', KEYS[1])
if held then
  local holder, m = string.match(held, '^([^:]+):(%d+)')
  if not holder then return -2 end
  local contender, n = string.match(ARGV[1], '^([^:]+):(%d+)')
  if holder ~= contender or tonumber(m) >= tonumber(n) then return redis.call('PTTL', KEYS[1]) end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'agreed'
`,
};

/**
 * An argument of {@link RELEASE} for a vote that no waiter waits for, because it never was one of a majority. Waiters
 * that woke each other by releasing such votes would keep all nodes busy.
 */
export const QUIETLY = 'quietly';

/**
 * Deletes one vote and wakes the waiters; also the undo of a doubtful attempt. Compares the whole owner value, so that a
 * late release can never delete another attempt's vote. The notification may fail, for a user who may not publish: the
 * waiters then poll, and the node is free all the same. A replica refuses both branches.
 */
export const RELEASE: Script = {
  name: 'release',
  source: `
-- KEYS[1] vote, KEYS[2] channel, under which no key ever stands; ARGV[1] owner value, ARGV[2] 'quietly': wakes nobody
-- returns 1: given back; 0: it was not ours any more
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  redis.call('DEL', KEYS[2])
  return 0
end
redis.call('DEL', KEYS[1])
if ARGV[2] ~= 'quietly' then redis.pcall('PUBLISH', KEYS[2], 'released') end
return 1
`,
};

/**
 * Lengthens a vote that is still stored. Never shortens one, so that a late renewal cannot undo a later one, and never
 * re-creates one: a node that lost its data replies 0. If there is nothing to write, the DEL of a key that never exists
 * makes a replica refuse, whose data may be old: so `0` and `1` are definite replies.
 */
export const RENEW: Script = {
  name: 'renew',
  source: `
-- KEYS[1] vote, KEYS[2] channel, under which no key ever stands; ARGV[1] owner value, ARGV[2] ttl in ms
-- returns 1: ours for at least the ttl from now; 0: it is not ours any more
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

/** Deletes a vote of any contender and wakes the waiters. Leaves a value alone that is not a vote. */
export const FORCE: Script = {
  name: 'force',
  source: `
-- KEYS[1] vote, KEYS[2] channel, under which no key ever stands
-- returns 1: taken away; 0: nobody had it; -2: the value is no owner value, left alone
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

/** Reads one vote; writes nothing. */
export const INSPECT: Script = {
  name: 'inspect',
  source: `
-- KEYS[1] vote
-- returns { owner value or nil, PTTL in ms (-1 no expiry, -2 no key) }
return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]) }
`,
};

/** Stores the list of nodes on a node, unless it stores another list; see `node-registry.ts`. */
export const INTRODUCE: Script = {
  name: 'introduce',
  source: `
-- KEYS[1] list; ARGV[1] this client's list, ARGV[2] ms for which it is remembered
-- returns the list that stands there now
local known = redis.call('GET', KEYS[1])
if known and known ~= ARGV[1] then return known end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]
`,
};
