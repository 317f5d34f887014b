import type { Script } from '@holdfast/redis/port';

/**
 * What {@link RELEASE} is given where nobody waits for this very vote, because it never was one of a majority: waiters
 * that woke each other by what they give back would keep all nodes busy.
 */
export const QUIETLY = 'quietly';

/**
 * Gives one very vote back, and wakes the waiters; also the undo of a doubtful attempt. The owner value is compared
 * whole, so that it can never touch another attempt, however late it lands. The wake-up may fail (a user without the
 * right to publish): the waiters then poll, and the node is free all the same. A replica refuses both branches.
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
