import type { Script } from '@holdfast/redis/port';

/** Takes a vote away, whoever has it, and wakes the waiters. What was never a vote is left alone. */
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
