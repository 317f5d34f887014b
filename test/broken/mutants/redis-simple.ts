import { FENCED, LIVENESS, type Mutant, mutantsOf, OWNERSHIP, VALIDITY } from '../mutant.ts';

const ACQUIRE = 'scripts.ts';
const TOKENS_GROW = '  if last >= token then token = last + 1 end\n';

/** Mistakes in locks on one Redis, each of which is in libraries and articles. */
export const REDIS_SIMPLE_MUTANTS: readonly Mutant[] = mutantsOf('redis-simple', 'redis-simple', [
  {
    name: 'takes-over-any-smaller-attempt',
    file: ACQUIRE,
    find: 'if holder ~= contender or tonumber(m) >= tonumber(n) then',
    replace: 'if tonumber(m) >= tonumber(n) then',
    why: 'A retry may take over what its own earlier attempt left. A client that does not check whose attempt it was takes the key of a client that succeeded at its first.',
    trial: { faults: ['none'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'long-key-is-stale',
    file: ACQUIRE,
    find: 'if holder ~= contender or tonumber(m) >= tonumber(n) then',
    replace:
      "if (holder ~= contender or tonumber(m) >= tonumber(n)) and redis.call('PTTL', KEYS[1]) <= tonumber(ARGV[2]) then",
    why: 'A key with more than a whole ttl left looks stale. A clock that was set back makes a good key look so, and it is taken from its holder.',
    trial: { faults: ['server-clock-back'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'validity-from-reply',
    file: 'grant.ts',
    find: '    this.validity = { from, ms: validityMs(ttlMs) };\n',
    replace: '    this.validity = { from: store.host.runtime.now(), ms: validityMs(ttlMs) };\n',
    why: 'The server counts the ttl from when the request reached it. A client that counts from the reply believes for longer, by the delay of the reply.',
    // Leases of a second show it too, in one of several hundred schedules: too slow for a test of twenty seeds.
    trial: { faults: ['delay'], setup: { ttlTimes: 4 }, target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'owner-value-reused',
    file: 'contender.ts',
    find: '    this.#n += 1;\n',
    replace: '    this.#n = 1;\n',
    why: 'The undo of an attempt that was given up may arrive late. If the next attempt writes an equal value, the undo deletes its hold.',
    trial: { faults: ['lost-reply'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'undo-compares-contenders',
    file: 'scripts.ts',
    find: "if redis.call('GET', KEYS[1]) ~= ARGV[1] then",
    replace:
      "if string.match(redis.call('GET', KEYS[1]) or '', '^[^:]+') ~= string.match(ARGV[1], '^[^:]+') then",
    why: 'An owner value is compared whole. If only the contender is compared, the late undo of one attempt deletes the hold that the next has won.',
    trial: { faults: ['lost-reply'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'release-without-compare',
    file: 'scripts.ts',
    find: "if redis.call('GET', KEYS[1]) ~= ARGV[1] then",
    replace: "if not redis.call('GET', KEYS[1]) then",
    why: 'A release that arrives after the end of the lease deletes the key of the next holder, and lets a third one in.',
    trial: { faults: ['pause'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'extend-without-compare',
    file: 'scripts.ts',
    find: 'if held ~= ARGV[1] then',
    replace: 'if not held then',
    why: 'A renewal that arrives after the end of the lease extends the key of the next holder. No two hold at once, but waiters wait for a dead holder, and the former holder still believes that it holds.',
    trial: { faults: ['client-cut'], target: OWNERSHIP },
    detectedBy: /renew of . prolonged a hold of ./,
  },
  {
    name: 'get-then-del',
    file: 'grant.ts',
    find: '  if (line === undefined) return store.node.script(script, [lock, channel], [owner], options);\n',
    replace: `  const compare = store.node.command(['GET', lock], options);
  if (line === undefined)
    return compare.then((held) => (held === owner ? store.node.command(['DEL', lock], options) : 0));
`,
    why: 'Comparing and deleting are two requests here: between them the lease may end and another client acquire the key.',
    trial: {
      faults: ['delay'],
      setup: { points: ['acquire', 'renew', 'release', 'DEL'] },
      target: VALIDITY,
    },
    detectedBy: /both held k validly/,
  },
  {
    name: 'doubt-counts-as-renewed',
    file: 'grant.ts',
    find: "      return { kind: 'unknown', cause };\n",
    replace: "      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };\n",
    why: 'A renewal without a reply may never have arrived; a client that counts it as done continues after the key is gone.',
    trial: { faults: ['client-cut'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'no-ttl',
    file: ACQUIRE,
    find: "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\n",
    replace: "redis.call('SET', KEYS[1], ARGV[1])\n",
    why: 'A key without a ttl outlives a dead holder without limit.',
    trial: { faults: ['holder-crash'], target: LIVENESS },
    detectedBy: /never got its turn/,
  },
  {
    name: 'seconds-for-milliseconds',
    file: ACQUIRE,
    find: "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\n",
    replace: "redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])\n",
    why: 'EX counts in seconds. The key lasts a thousand times as long as intended, which no client notices until a holder dies.',
    trial: { faults: ['holder-crash'], target: LIVENESS },
    detectedBy: /never got its turn/,
  },
  {
    name: 'waits-for-news-alone',
    file: 'contender.ts',
    find: "    return { kind: 'busy', holderRemainingMs, retryAfterMs };\n",
    replace: "    return { kind: 'busy', holderRemainingMs };\n",
    why: 'A notification may be lost, and a key that expires sends none: a waiter without a timer waits without end.',
    trial: { faults: ['lost-wakeup'], target: LIVENESS },
    detectedBy: /never got its turn/,
  },
  {
    name: 'token-never-grows',
    file: ACQUIRE,
    find: TOKENS_GROW,
    replace: '  if last then token = last end\n',
    why: 'A resource can reject a late writer only if every grant has a larger token than the one before.',
    trial: { faults: ['pause'], target: FENCED },
    detectedBy: /fenced|token/,
  },
  {
    name: 'token-from-time-alone',
    file: ACQUIRE,
    find: TOKENS_GROW,
    replace: '',
    why: 'The clock of a server may be set back: time alone repeats tokens that were granted before, and smaller ones.',
    trial: { faults: ['server-clock-back'], target: FENCED },
    detectedBy: /fenced|token/,
  },
  {
    name: 'token-from-a-counter',
    file: ACQUIRE,
    find: `local token = tonumber(time[1]) * 1000000 + tonumber(time[2])
if stored then
  local last = tonumber(stored)
  if not last or last >= 9007199254740991 then return -3 end
  if last >= token then token = last + 1 end
end
local text = string.format('%.0f', token)
local expiry = string.format('%.0f', math.floor(token / 1000) + 86400000)
`,
    replace: `local token = 1000000000
if stored then
  local last = tonumber(stored)
  if not last or last >= 9007199254740991 then return -3 end
  if last >= token then token = last + 1 end
end
local text = string.format('%.0f', token)
local expiry = string.format('%.0f', tonumber(time[1]) * 1000 + 86400000)
`,
    why: 'A counter is lost with the data of its server, at a restart or a failover, and starts again below what the resource has seen.',
    trial: { faults: ['restart-empty'], target: FENCED },
    detectedBy: /fenced|token/,
  },
  {
    name: 'token-through-tostring',
    file: ACQUIRE,
    find: "local text = string.format('%.0f', token)\n",
    replace: 'local text = tostring(token)\n',
    why: 'In Lua every number is a double, and tostring prints 14 digits of it: a token of 16 becomes 1.7356896e+15, which is none. No client acquires the key any more, and each attempt leaves it taken until its ttl is over.',
    trial: { faults: ['none'], target: LIVENESS },
    detectedBy: /never got its turn/,
  },
]);
