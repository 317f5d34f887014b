import { ANSWERS, type Mutant } from '../mutant.ts';

const GIVING_UP = { givingUp: true } as const;
const FRONT = 'wait-loop.ts';

/**
 * Mistakes in the error that a client gets as its wait ends. They neither grant a key nor lengthen a wait: the error is
 * wrong, and so is what its reader does next.
 */
export const REFUSAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'early-busy-hides-silence',
    package: 'core',
    file: FRONT,
    find: "    if (attempt.kind !== 'unknown' || !this.#wasCutShort()) this.#lastDefinite = latest;\n",
    replace:
      "    if (attempt.kind === 'busy' || this.#lastDefinite?.attempt.kind !== 'busy') this.#lastDefinite = latest;\n",
    why: 'A key that was taken once is called taken for good, although no server has answered since. Whoever reads it waits for a holder that is long gone, and looks for no outage.',
    trial: {
      subject: 'redis-simple',
      faults: ['restart-durable'],
      setup: GIVING_UP,
      target: ANSWERS,
    },
    detectedBy: /k is taken, but its attempt of .* did not get that reply/,
  },
  {
    name: 'early-busy-hides-doubt',
    package: 'core',
    file: FRONT,
    find: "    if (withdrawal.kind === 'unknown') {\n",
    replace: "    if (withdrawal.kind === 'unknown' && this.lastOutcome?.kind !== 'busy') {\n",
    why: 'A request without an answer may still take the key, for nobody. Whoever is told only that the key was taken looks for its holder in vain.',
    trial: {
      subject: 'redis-simple',
      faults: ['client-cut'],
      setup: GIVING_UP,
      target: ANSWERS,
    },
    detectedBy: /it did not acquire k, but its withdrawal is unknown/,
  },
  {
    name: 'what-is-left-is-not-aged',
    package: 'core',
    file: FRONT,
    find: '    const leftMs = attempt.holderRemainingMs - this.#host.runtime.elapsedMs(from);\n',
    replace: '    const leftMs = from.monotonicMs < 0 ? 0 : attempt.holderRemainingMs;\n',
    why: 'What the holder had left when it was asked for is told at the end of a long wait, as if no time had passed.',
    trial: { subject: 'memory', faults: ['none'], setup: GIVING_UP, target: ANSWERS },
    detectedBy: /the holder of k has it until .*, but the servers had promised it to no one/,
  },
  {
    name: 'what-is-left-counts-from-the-answer',
    package: 'core',
    file: FRONT,
    find: '    const { attempt, from } = this.#lastDefinite;\n',
    replace: '    const { attempt, at: from } = this.#lastDefinite;\n',
    why: 'The answer takes its time, and its process may stand still before it reads it. What the holder has left is overstated by as much.',
    trial: {
      subject: 'redis-simple',
      faults: ['pause-acquire'],
      setup: GIVING_UP,
      target: ANSWERS,
    },
    detectedBy: /the holder of k has it until .*, but the servers had promised it to no one/,
  },
  {
    name: 'silence-is-always-doubt',
    package: 'core',
    file: FRONT,
    find: "    if (withdrawal.kind === 'unknown') {\n",
    replace:
      "    if (withdrawal.kind === 'unknown' || this.#latest?.attempt.kind === 'unknown') {\n      const withdrawal = { untilMs: 0 };\n",
    why: 'An attempt without an answer that has been taken back for certain is told as doubt. Whoever may not act twice stops for nothing.',
    trial: { subject: 'redis-simple', faults: ['lost-reply'], setup: GIVING_UP, target: ANSWERS },
    detectedBy: /it may have acquired k, but (its backend knew|every request had)/,
  },
  {
    name: 'withdraws-without-looking-back',
    package: 'redis-simple',
    file: 'contender.ts',
    find: "    return this.#unresolved?.settle() ?? Promise.resolve({ kind: 'clean' });\n",
    replace: "    return Promise.resolve({ kind: 'clean' });\n",
    why: 'A waiter that gives up says that nothing of it is left while a request of it is still on its way, or has taken the key already.',
    trial: { subject: 'redis-simple', faults: ['client-cut'], setup: GIVING_UP, target: ANSWERS },
    detectedBy:
      /it did not acquire k, but by the servers' records it (acquired it at|has it until)/,
  },
  {
    name: 'redlock-withdraws-in-spite-of-doubt',
    package: 'redlock',
    file: 'redlock.ts',
    find: "    return untilMs === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs };\n",
    replace: "    return untilMs >= 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs };\n",
    why: 'A vote whose release was not answered may stand for its whole ttl, where others need it. Its client was told that nothing of it is left.',
    trial: { subject: 'redlock', faults: ['client-cut'], setup: GIVING_UP, target: ANSWERS },
    detectedBy:
      /it did not acquire k, but by the servers' records it (acquired it at|has it until)/,
  },
  {
    name: 'zk-withdraws-before-it-is-gone',
    package: 'zk',
    file: 'contender.ts',
    find: '    const isUndone = await this.#undoEntry();\n',
    replace: '    const isUndone = [this.#undoEntry()].length > 0;\n',
    why: 'A place in the queue whose deletion is on its way may come to the front, and hold up all behind it. Its client was told that nothing of it is left.',
    trial: { subject: 'zk', faults: ['client-cut'], setup: GIVING_UP, target: ANSWERS },
    detectedBy:
      /it did not acquire k, but by the servers' records it (acquired it at|has it until)/,
  },
];
