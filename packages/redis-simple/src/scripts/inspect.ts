import type { Script } from '@holdfast/redis/port';

/** Shows one key; writes nothing. */
export const INSPECT: Script = {
  name: 'inspect',
  source: `
-- KEYS[1] lock, KEYS[2] fence
-- returns { owner value or nil, PTTL of the lock in ms (-1 no expiry, -2 no key), last fencing token or nil }
return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[2]) }
`,
};
