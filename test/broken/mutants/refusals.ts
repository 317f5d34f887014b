import { ANSWERS, type Mutant } from '../mutant.ts';

const GIVING_UP = { givingUp: true } as const;
const FRONT = 'attempt-log.ts';

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
    why: 'A key that was taken once is reported as taken to the end, although no server has replied since. The caller waits for a holder that is long gone, and does not look for an outage.',
    trial: {
      subject: 'redis-simple',
      faults: ['restart-durable'],
      setup: GIVING_UP,
      target: ANSWERS,
    },
    detectedBy: /k is taken, and since .* an attempt of it had not been answered so/,
  },
  {
    name: 'early-busy-hides-doubt',
    package: 'core',
    file: FRONT,
    find: "    if (withdrawal.kind === 'unknown') {\n",
    replace: "    if (withdrawal.kind === 'unknown' && this.lastOutcome?.kind !== 'busy') {\n",
    why: 'A request without a reply may still take the key, for no one. A caller that learns only that the key was taken looks for its holder in vain.',
    trial: {
      subject: 'redis-simple',
      faults: ['client-cut'],
      setup: GIVING_UP,
      target: ANSWERS,
    },
    detectedBy: /it has not got k, and nobody knows whether it may get it yet/,
  },
  {
    name: 'what-is-left-is-not-aged',
    package: 'core',
    file: FRONT,
    find: '    const leftMs = attempt.holderRemainingMs - this.#runtime.elapsedMs(from);\n',
    replace: '    const leftMs = from.monotonicMs < 0 ? 0 : attempt.holderRemainingMs;\n',
    why: 'The rest of the holder’s lease is reported at the end of a long wait, as if no time had passed since it was read.',
    trial: { subject: 'memory', faults: ['none'], setup: GIVING_UP, target: ANSWERS },
    detectedBy: /the holder of k has it until .*, and the servers had promised nobody more/,
  },
  {
    name: 'what-is-left-counts-from-the-answer',
    package: 'core',
    file: FRONT,
    find: '    const { attempt, from } = this.#lastDefinite;\n',
    replace: '    const { attempt, at: from } = this.#lastDefinite;\n',
    why: 'The reply takes time, and its process may be paused before it reads it. The rest of the holder’s lease is overstated by that time.',
    trial: {
      subject: 'redis-simple',
      faults: ['pause-acquire'],
      setup: GIVING_UP,
      target: ANSWERS,
    },
    detectedBy: /the holder of k has it until .*, and the servers had promised nobody more/,
  },
  {
    name: 'silence-is-always-doubt',
    package: 'core',
    file: FRONT,
    find: "    if (withdrawal.kind === 'unknown') {\n",
    replace:
      "    if (withdrawal.kind === 'unknown' || this.#latest?.attempt.kind === 'unknown') {\n      const withdrawal = { untilMs: 0 };\n",
    why: 'An attempt without a reply that has certainly been undone is reported as doubt. A caller that must not act twice stops for nothing.',
    trial: { subject: 'redis-simple', faults: ['lost-reply'], setup: GIVING_UP, target: ANSWERS },
    detectedBy: /nobody knows whether it has got k, and (its backend did|all that was sent)/,
  },
  {
    name: 'withdraws-without-looking-back',
    package: 'redis-simple',
    file: 'contender.ts',
    find: "    return this.#unresolved?.settle() ?? Promise.resolve({ kind: 'clean' });\n",
    replace: "    return Promise.resolve({ kind: 'clean' });\n",
    why: 'A waiter that gives up reports that nothing of it is left while a request of it is still in flight, or has taken the key already.',
    trial: { subject: 'redis-simple', faults: ['client-cut'], setup: GIVING_UP, target: ANSWERS },
    detectedBy: /it has not got k, and it (got it at|has it until) .* by the servers' own record/,
  },
  {
    name: 'redlock-withdraws-in-spite-of-doubt',
    package: 'redlock',
    file: 'redlock.ts',
    find: "    return untilMs === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs };\n",
    replace: "    return untilMs >= 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs };\n",
    why: 'A vote whose release got no reply may last for its whole ttl, while others need it. Its client reported that nothing of it is left.',
    trial: { subject: 'redlock', faults: ['client-cut'], setup: GIVING_UP, target: ANSWERS },
    detectedBy: /it has not got k, and it (got it at|has it until) .* by the servers' own record/,
  },
  {
    name: 'zk-withdraws-before-it-is-gone',
    package: 'zk',
    file: 'contender.ts',
    find: '    const isUndone = await this.#undoEntry();\n',
    replace: '    const isUndone = [this.#undoEntry()].length > 0;\n',
    why: 'A queue node whose deletion is in flight may come to the front, and block all behind it. Its client reported that nothing of it is left.',
    trial: { subject: 'zk', faults: ['client-cut'], setup: GIVING_UP, target: ANSWERS },
    detectedBy: /it has not got k, and it (got it at|has it until) .* by the servers' own record/,
  },
];
