import type { Script } from '@holdfast/redis/port';

/**
 * Removes one very hold and wakes the waiters; also the undo of a doubtful attempt. The owner value is compared
 * whole, so that it can never touch another attempt, however late it lands. The wake-up may fail (a user without
 * the right to publish): the waiters then poll, and the key is free all the same. A replica refuses both branches.
 */
export const RELEASE: Script = {
  name: 'release',
  source: `
-- KEYS[1] lock, KEYS[2] channel, under which no key ever stands; ARGV[1] owner value
-- returns 1: released; 0: this hold was gone already
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  redis.call('DEL', KEYS[2])
  return 0
end
redis.call('DEL', KEYS[1])
redis.pcall('PUBLISH', KEYS[2], 'released')
return 1
`,
};
