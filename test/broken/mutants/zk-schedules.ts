import { FENCED, LIVENESS, type Mutant, VALIDITY } from '../mutant.ts';

type Mistake = Omit<Mutant, 'package' | 'trial'> & {
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
      trial: { faults: ['none'], wanted: VALIDITY },
      convictedBy: /both held k validly/,
    },
    {
      name: 'session-id-as-token',
      file: 'grant.ts',
      find: '    this.fencingToken = node.czxid;\n',
      replace: '    this.fencingToken = presence.session.id;\n',
      why: 'A fencing token has to grow with every grant. The id of a session says when it was opened, which is in no order with who comes to hold.',
      trial: { faults: ['pause'], wanted: FENCED },
      convictedBy: /token/,
    },
    {
      name: 'believes-until-told',
      file: 'validity.ts',
      find: '  return { from: later(end, -ms), ms };\n',
      replace: '  return { from: proof.sentAt, ms: 1e6 * ms };\n',
      why: 'That a session has expired is learnt only by asking. Whoever stands still, or is cut off, and goes by what it was told last believes in a lease that has long been given to somebody else.',
      trial: { faults: ['pause'], wanted: VALIDITY },
      convictedBy: /both held k validly/,
    },
    {
      name: 'next-without-looking',
      file: 'contender.ts',
      find: "      if (standing.kind === 'first') return await this.#granted(entry, node, deadline);\n",
      replace:
        "      if (standing.kind === 'first' || this.#ahead?.hasChanged === true)\n        return await this.#granted(entry, node, deadline);\n",
      why: 'The node in front may go because its contender went, not because its turn was over: whoever does not list again then holds beside the one further in front.',
      trial: { faults: ['pause-acquire'], wanted: VALIDITY },
      convictedBy: /both held k validly/,
    },
    {
      name: 'watch-on-nothing',
      file: 'ahead.ts',
      find: '    if (watched.stat === undefined) changed();\n',
      replace: '',
      why: 'The node in front may go between the listing and the watch. A watch on what is not there tells of nothing: whoever does not look again waits for ever.',
      trial: { faults: ['delay'], wanted: LIVENESS },
      convictedBy: /never got its turn|never ended/,
    },
  ] satisfies readonly Mistake[]
).map((mistake) => ({
  ...mistake,
  package: 'zk',
  trial: { ...mistake.trial, subject: 'zk' },
}));
