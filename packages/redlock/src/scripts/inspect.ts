import type { Script } from '@holdfast/redis/port';

/** Shows who has one vote; writes nothing. */
export const INSPECT: Script = {
  name: 'inspect',
  source: `
-- KEYS[1] vote
-- returns { owner value or nil, PTTL in ms (-1 no expiry, -2 no key) }
return { redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1]) }
`,
};
