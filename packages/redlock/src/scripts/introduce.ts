import type { Script } from '@holdfast/redis/port';

/** Leaves the list of nodes on a node, unless another list stands there; see `node-registry.ts`. */
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
