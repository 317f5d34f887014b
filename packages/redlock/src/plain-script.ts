import type { Script } from '@holdfast/redis/port';

/** The reply of {@link ACQUIRE_PLAIN} if the vote of another client never expires. */
export const NO_EXPIRY = -1;

/** As `ACQUIRE` of `scripts.ts`, in the plain layout: any other value is the vote of another client, whatever it is. */
export const ACQUIRE_PLAIN: Script = {
  name: 'acquire',
  source: `
-- KEYS[1] vote; ARGV[1] owner value, ARGV[2] ttl in ms
-- returns 'agreed': the vote is ours
--         an integer from 0: somebody else has it for this many ms; -1: and it never expires
local held = redis.call('GET', KEYS[1])
if held then
  local holder, m = string.match(held, '^([^:]+):(%d+)')
  local contender, n = string.match(ARGV[1], '^([^:]+):(%d+)')
  if holder ~= contender or tonumber(m) >= tonumber(n) then return redis.call('PTTL', KEYS[1]) end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 'agreed'
`,
};
