import { DEBATED, named } from '@holdfast/exhibits';
import type { Subject } from '@holdfast/sim';
import { CLAIMED } from './claimed.ts';

/** As many as the description of Redlock takes. */
const REDLOCK_NODES = 5;

const KINDS: Readonly<Record<string, Pick<Subject, 'nodes' | 'tokens' | 'labels' | 'points'>>> = {
  'redlock-one-look': {
    nodes: REDLOCK_NODES,
    tokens: false,
    labels: { acquire: ['SET'], renew: [], release: ['EVAL'] },
  },
  'redlock-counters': {
    nodes: REDLOCK_NODES,
    tokens: true,
    labels: { acquire: ['EVAL'], renew: [], release: ['EVAL'] },
    points: ['acquire'],
  },
  'fence-alone': {
    nodes: 1,
    tokens: true,
    labels: { acquire: ['INCR'], renew: [], release: [] },
    points: ['acquire'],
  },
};

/** What the debate about Redlock argues about, as the simulator tries it: in stories, and by name. */
export const DEBATE_SUBJECTS: readonly Subject[] = [
  ...DEBATED.map((each) => ({
    name: each.name,
    nodes: 1,
    renews: false,
    tokens: false,
    ...KINDS[each.name],
    open: named(each),
  })),
  CLAIMED,
];
