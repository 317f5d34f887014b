import type { Script } from '@holdfast/redis/port';

/**
 * The release of https://redis.io/docs/latest/commands/set ("Patterns").
 * KEYS[1] the lock; ARGV[1] the value that its holder wrote. Returns 1 when it stood there and was removed, else 0.
 */
export const COMPARE_AND_DELETE: Script = {
  name: 'release',
  source: `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`,
};
