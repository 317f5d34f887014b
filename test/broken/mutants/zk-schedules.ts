import { FENCED, FIFO, LIVENESS, type Mutant, VALIDITY } from '../mutant.ts';

type ZkScheduleMutant = Omit<Mutant, 'package' | 'trial'> & {
  readonly trial: Omit<Mutant['trial'], 'subject'>;
};

/** Mistakes in queues of ephemeral nodes that show in generated schedules; `zk.ts` has those that want one moment. */
export const ZK_SCHEDULE_MUTANTS: readonly Mutant[] = (
  [
    {
      name: 'last-come-first-served',
      file: 'queue.ts',
      find: '  return ((a.sequence - b.sequence) | 0) < 0;\n',
      replace: '  return ((a.sequence - b.sequence) | 0) > 0;\n',
      why: 'The lowest sequence holds. Compared the wrong way round, whoever comes later stands first, beside the one that holds.',
      trial: { faults: ['none'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'session-id-as-token',
      file: 'grant.ts',
      find: '    this.fencingToken = node.czxid;\n',
      replace: '    this.fencingToken = handle.session.id;\n',
      why: 'A fencing token has to grow with every grant. The id of a session says when it was opened, which is in no order with who comes to hold.',
      trial: { faults: ['pause'], target: FENCED },
      detectedBy: /token/,
    },
    {
      name: 'believes-until-told',
      file: 'validity.ts',
      find: '  return { from: plusMs(end, -ms), ms };\n',
      replace: '  return { from: proof.sentAt, ms: 1e6 * ms };\n',
      why: 'That a session has expired is learnt only by asking. Whoever stands still, or is cut off, and goes by what it was told last believes in a lease that has long been given to somebody else.',
      trial: { faults: ['pause'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'next-without-looking',
      file: 'contender.ts',
      find: "      if (position.kind === 'first') return await this.#granted(entry, node, deadline);\n",
      replace:
        "      if (position.kind === 'first' || this.#predecessor?.hasChanged === true)\n        return await this.#granted(entry, node, deadline);\n",
      why: 'The node in front may go because its contender went, not because its turn was over: whoever does not list again then holds beside the one further in front.',
      trial: { faults: ['pause-acquire'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'look-up-without-sync',
      file: 'container.ts',
      find: '      this.#handle.leaderAnswers.add(await this.#session.sync(this.#path));\n',
      replace: '',
      why: 'A creation whose answer was lost may stand, and the next server may not have heard of it yet. Whoever looks there without a sync makes a second node, and waits behind the first one for as long as its own session lives (CURATOR-264).',
      trial: { faults: ['lost-reply'], target: LIVENESS },
      detectedBy: /never got its turn|never ended/,
    },
    {
      name: 'queues-anew',
      file: 'contender.ts',
      find: '      return failureOf(cause, this.#request.key);\n',
      replace:
        '      void this.#entry?.undo();\n      this.#entry = undefined;\n      return failureOf(cause, this.#request.key);\n',
      why: 'A place in the queue is kept for as long as its session lives, whatever becomes of one attempt. Whoever tidies up after an attempt that failed, and enters anew, stands behind all that have come meanwhile.',
      trial: { faults: ['lost-reply'], target: FIFO },
      detectedBy: /had come to stand in the queue earlier/,
    },
    {
      name: 'touch-forgotten-after-a-block',
      file: 'validity.ts',
      find: '  const reached = plusMs(touched, timeoutMs * TOUCH_SHARE);\n',
      replace: '  const reached = proven;\n',
      why: 'A write that a follower forwards does not touch the session at the leader. Whoever counts two thirds of T from it alone, right after a blocked event loop, believes in a lease whose session the leader is about to end, if the follower is cut off before it reports.',
      trial: {
        faults: ['loop-block', 'peer-cut'],
        target: VALIDITY,
      },
      detectedBy: /both held k validly/,
    },
    {
      name: 'watch-on-nothing',
      file: 'predecessor-watch.ts',
      find: '    if (watched.stat === undefined) changed();\n',
      replace: '',
      why: 'The node in front may go between the listing and the watch. A watch on what is not there tells of nothing: whoever does not look again waits for ever.',
      trial: { faults: ['delay'], target: LIVENESS },
      detectedBy: /never got its turn|never ended|waited \d+ ms for a key that nobody held/,
    },
    {
      name: 'local-re-entry',
      file: 'contender.ts',
      find: "      if (position.kind === 'first') return await this.#granted(entry, node, deadline);\n",
      replace:
        "      const { held = new Set() } = Object.assign(this.#store, { held: Reflect.get(this.#store, 'held') });\n      if (position.kind === 'first') Object.assign(this.#store, { held: held.add(this.#container) });\n      if (held.has(this.#container)) return await this.#granted(entry, node, deadline);\n",
      why: 'Two tasks of one process are two contenders. Whoever takes the process, or its session, for the owner lets both in.',
      trial: { faults: ['none'], target: VALIDITY },
      detectedBy: /both held k validly/,
    },
    {
      name: 'no-uuid',
      file: 'queue.ts',
      find: '  return `${contender}-lock-`;\n',
      replace: '  return `x${contender.slice(0, 0)}-lock-`;\n',
      why: 'A name without an id of its contender cannot be found again when the answer to its creation was lost: the next try stands behind the first, for as long as the session lives.',
      trial: { faults: ['lost-reply'], target: LIVENESS },
      detectedBy: /never got its turn/,
    },
    {
      name: 'no-look-up',
      file: 'queue-entry.ts',
      find: '        this.#isUnknown ||= cause instanceof SessionDoubt;\n',
      replace: '',
      why: 'A creation whose answer was lost may stand. Whoever does not look leaves it there when it goes away, and nobody else can get the key while the session lives.',
      trial: { faults: ['lost-reply'], target: LIVENESS },
      detectedBy: /never got its turn/,
    },
  ] satisfies readonly ZkScheduleMutant[]
).map((mistake) => ({
  ...mistake,
  package: 'zk',
  trial: { ...mistake.trial, subject: 'zk' },
}));
