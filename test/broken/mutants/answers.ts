import { ANSWERS, type Mutant } from '../mutant.ts';

const SCRIPTS = 'scripts.ts';

/**
 * Mistakes in what is reported to a client about its hold. No two clients need to hold at once: the reply is wrong, or the
 * validity that is claimed because of it, by the servers' own record.
 */
export const ANSWER_MUTANTS: readonly Mutant[] = [
  {
    name: 'renewal-makes-a-hold',
    package: 'redis-simple',
    file: SCRIPTS,
    find: 'if held ~= ARGV[1] then\n',
    replace:
      "if not held then\n  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\nelseif held ~= ARGV[1] then\n",
    why: 'A renewal that finds no key creates one and reports that it renewed. A client that held the key meanwhile, and released it, goes unnoticed.',
    trial: { subject: 'redis-simple', faults: ['server-clock-forward'], target: ANSWERS },
    detectedBy:
      /it still held k(, but by the servers' records it did not| until .* by the servers' records only until)/,
  },
  {
    name: 'released-whatever-stood',
    package: 'redis-simple',
    file: SCRIPTS,
    find: "if redis.call('GET', KEYS[1]) ~= ARGV[1] then\n  redis.call('DEL', KEYS[2])\n  return 0\n",
    replace:
      "if redis.call('GET', KEYS[1]) ~= ARGV[1] then\n  redis.call('DEL', KEYS[2])\n  return 1\n",
    why: 'A release that finds the hold of another, or none, reports that it released. Its caller believes that its work was protected to the end.',
    trial: { subject: 'redis-simple', faults: ['server-clock-forward'], target: ANSWERS },
    detectedBy: /it had released k, but by the servers' records it had not held it/,
  },
  {
    name: 'not-held-although-released',
    package: 'redis-simple',
    file: SCRIPTS,
    find: "redis.pcall('PUBLISH', KEYS[2], 'released')\nreturn 1\n",
    replace: "redis.pcall('PUBLISH', KEYS[2], 'released')\nreturn 0\n",
    why: 'A release that ended a good hold reports that there was none. Its caller repeats work that was done under the lock.',
    trial: { subject: 'redis-simple', faults: ['none'], target: ANSWERS },
    detectedBy: /it had not held k, but by the servers' records it held it/,
  },
  {
    name: 'doubtful-release-counts-as-released',
    package: 'redis-simple',
    file: 'grant.ts',
    find: "  reportNode(store, keys.key, cause);\n  return { kind: 'unknown', cause };\n",
    replace: "  reportNode(store, keys.key, cause);\n  return { kind: 'released' };\n",
    why: 'A release without a reply may never have arrived. A client that counts it as done reports so to its caller, and never sends it again.',
    trial: { subject: 'redis-simple', faults: ['client-cut'], target: ANSWERS },
    detectedBy: /it had released k, but by the servers' records it still holds it/,
  },
  {
    name: 'doubt-counts-as-lost',
    package: 'redis-simple',
    file: 'grant.ts',
    find: "      return { kind: 'unknown', cause };\n",
    replace: "      return { kind: 'lost' };\n",
    why: 'A renewal without a reply says nothing. A client that counts it as a loss stops good work at every short network failure.',
    trial: { subject: 'redis-simple', faults: ['lost-reply'], target: ANSWERS },
    detectedBy: /it had lost k, but by the servers' records it held it throughout/,
  },
  {
    name: 'released-by-any-node',
    package: 'redlock',
    file: 'grant.ts',
    find: "    if (released >= quorum) return { kind: 'released' };\n",
    replace: "    if (released >= 1) return { kind: 'released' };\n",
    why: 'One node that released is no majority. With the others out of reach the key stays taken until their votes expire, although its release was reported to the caller.',
    trial: { subject: 'redlock', faults: ['client-cut'], target: ANSWERS },
    detectedBy: /it had released k, but by the servers' records it still holds it/,
  },
  {
    name: 'renewal-counts-from-its-answer',
    package: 'redis-simple',
    file: 'grant.ts',
    find: "      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };\n",
    replace:
      "      return { kind: 'renewed', validity: { from: host.runtime.now(), ms: validityMs(ttlMs) } };\n",
    why: 'The server counts the new ttl from when the renewal reached it. A client that counts from the reply claims slightly too much, for at most the time of a call, until the next renewal hides it.',
    trial: { subject: 'redis-simple', faults: ['delay'], target: ANSWERS },
    detectedBy: /it still held k until .* by the servers' records only until/,
  },
  {
    name: 'redlock-renewal-counts-from-its-answer',
    package: 'redlock',
    file: 'grant.ts',
    find: "      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };\n",
    replace:
      "      return { kind: 'renewed', validity: { from: host.runtime.now(), ms: validityMs(ttlMs) } };\n",
    why: 'A round of renewals takes as long as the slowest of the majority. A client that counts from its end claims more than the votes that were renewed first.',
    trial: { subject: 'redlock', faults: ['delay'], target: ANSWERS },
    detectedBy: /it still held k until .* by the servers' records only until/,
  },
  {
    name: 'margin-too-small',
    package: 'core',
    file: 'validity.ts',
    find: 'const DRIFT_SHARE = 1 / 100;\n',
    replace: 'const DRIFT_SHARE = 1 / 125;\n',
    why: 'Two clocks that err by half a percent each, in opposite directions, are one in a hundred apart: a margin of four fifths of that is too small, by a few ms of a long lease.',
    trial: {
      subject: 'redis-simple',
      faults: ['drift'],
      setup: { variation: 'within', ttlTimes: 4 },
      target: ANSWERS,
    },
    detectedBy: /held k until .* by the servers' records only until/,
  },
];
