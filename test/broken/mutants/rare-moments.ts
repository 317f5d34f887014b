import { FENCED, LIVENESS, type Mutant, VALIDITY } from '../mutant.ts';

const LIVE = '      if (this.#live === this.#options.blocking) this.#onMessage();\n';

/**
 * Mistakes that show at few moments: between a look and a subscription, at a tenth attempt, at one request of several, with
 * an even number of nodes.
 */
export const RARE_MOMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'simple-live-without-looking',
    package: 'redis',
    file: 'recipe/wake-up.ts',
    find: LIVE,
    replace: '',
    why: 'A release between a look at the key and the subscription is heard by nobody. Who does not look again once the subscription is live sleeps until the ttl that it has seen is over.',
    trial: { subject: 'redis-simple', faults: ['none'], target: LIVENESS },
    detectedBy: /waited \d+ ms for a key that nobody held, and no fault explains it/,
  },
  {
    name: 'redlock-live-without-looking',
    package: 'redis',
    file: 'recipe/wake-up.ts',
    find: LIVE,
    replace: '',
    why: 'The same on several nodes: from the moment at which enough subscriptions are live no release is missed, but one before it was.',
    trial: { subject: 'redlock', faults: ['none'], target: LIVENESS },
    detectedBy: /waited \d+ ms for a key that nobody held, and no fault explains it/,
  },
  {
    name: 'simple-counts-to-nine',
    package: 'redis-simple',
    file: 'contender.ts',
    find: '    this.#n += 1;\n',
    replace: '    this.#n = Math.min(9, this.#n + 1);\n',
    why: 'Every attempt has a number of its own, so that the undo of one cannot touch the next. Where the number has one digit the ninth attempt and the tenth write the same value.',
    trial: { subject: 'redis-simple', faults: ['lost-reply'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'redlock-counts-to-nine',
    package: 'redlock',
    file: 'redlock.ts',
    find: '    this.#n += 1;\n',
    replace: '    this.#n = Math.min(9, this.#n + 1);\n',
    why: 'The same on several nodes: an undo of the ninth attempt takes away a vote that the tenth has won.',
    trial: { subject: 'redlock', faults: ['lost-reply'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'memory-tokens-wrap',
    package: 'core',
    file: 'memory/store.ts',
    find: '    this.#token += 1n;\n',
    replace: '    this.#token = (this.#token + 1n) % 10n;\n',
    why: 'A counter of tokens that starts again after nine makes old tokens of new ones: the guard refuses whoever holds, and lets a late writer in.',
    trial: { subject: 'memory', faults: ['none'], target: FENCED },
    detectedBy: /token/,
  },
  {
    name: 'getset-doubt-counts-as-won',
    package: 'redis-getset',
    file: 'contender.ts',
    find: '      if (cause instanceof NodeDoubt) this.#unresolved.push(write);\n',
    replace:
      "      if (cause instanceof NodeDoubt && name === 'GETSET') return null;\n      if (cause instanceof NodeDoubt) this.#unresolved.push(write);\n",
    why: 'A GETSET without an answer may have come second: then its stamp stands over that of the client which won. Who takes it for won holds beside that one.',
    trial: { subject: 'redis-getset', faults: ['holder-crash', 'lost-reply'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'getset-undone-by-del',
    package: 'redis-getset',
    file: 'contender.ts',
    find: '      return await command(this.#store, key, [name, lock, `${write.stamp}`], callEndMs);\n',
    replace:
      "      const undo = { args: ['DEL', lock], keepUntilMs: callEndMs + this.#ttlMs };\n      const options = name === 'GETSET' ? { deadlineMs: callEndMs, undo } : { deadlineMs: callEndMs };\n      return await this.#store.node.command([name, lock, `${write.stamp}`], options);\n",
    why: 'A GETSET without an answer is not undone by deleting what it wrote: where it came second, that stamp is all that stands for the client which won, and with it goes the hold.',
    trial: { subject: 'redis-getset', faults: ['holder-crash', 'lost-reply'], target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'even-half-is-enough',
    package: 'redlock',
    file: 'validity.ts',
    find: '  return Math.floor(nodes / 2) + 1;\n',
    replace: '  return Math.ceil(nodes / 2);\n',
    why: 'Half of the nodes, rounded up, is a majority where their number is odd. Of four it is two, and two others are left for somebody else.',
    trial: { subject: 'redlock', faults: ['delay'], setup: { fewer: true }, target: VALIDITY },
    detectedBy: /both held k validly/,
  },
  {
    name: 'half-wins-the-vote',
    package: 'redlock',
    file: 'redlock.ts',
    find: '    const isMajority = countAgreed(replies) >= quorum;\n',
    replace: '    const isMajority = 2 * countAgreed(replies) >= nodes.length;\n',
    why: 'Half of the votes is a majority only where no half is possible: of four nodes two contenders get two each, and both hold.',
    trial: { subject: 'redlock', faults: ['delay'], setup: { fewer: true }, target: VALIDITY },
    detectedBy: /both held k validly/,
  },
];
