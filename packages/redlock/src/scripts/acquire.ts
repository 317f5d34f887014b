import type { Script } from '@holdfast/redis/port';

/** What {@link ACQUIRE} returns when the node gives its vote. */
export const AGREED = 'agreed';
/** What it returns where something stands that can neither be taken nor waited for. */
export const FOREIGN = { noExpiry: -1, notAnOwner: -2 } as const;

/**
 * Gives the node's vote if it is free, or given to a smaller n of the same contender; then with a full ttl. Everything
 * is checked before the only write, so whatever error comes out of it, the vote was not given.
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
