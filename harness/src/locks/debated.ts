import { named, DEBATED as RECIPES } from '../exhibits/index.ts';
import { claimed } from './claimed.ts';
import { editedRecipe } from './edited-recipe.ts';
import type { LockUnderTest } from './lock.ts';

/** The number of nodes in the description of Redlock. */
const REDLOCK_NODES = 5;

interface DebatedSettings {
  readonly nodes: number;
  readonly tokens: boolean;
  readonly wire: NonNullable<LockUnderTest['wire']>;
}

const SETTINGS: Readonly<Record<string, DebatedSettings>> = {
  'redlock-one-look': {
    nodes: REDLOCK_NODES,
    tokens: false,
    wire: { labels: { acquire: ['SET'], renew: [], release: ['EVAL'] } },
  },
  'redlock-counters': {
    nodes: REDLOCK_NODES,
    tokens: true,
    wire: { labels: { acquire: ['EVAL'], renew: [], release: ['EVAL'] }, points: ['acquire'] },
  },
  'fence-alone': {
    nodes: 1,
    tokens: true,
    wire: { labels: { acquire: ['INCR'], renew: [], release: [] }, points: ['acquire'] },
  },
};

/** The locks from the debate about Redlock. */
export const DEBATED: readonly LockUnderTest[] = [
  ...RECIPES.map((recipe): LockUnderTest => {
    const { nodes = 1, tokens = false, wire = {} } = SETTINGS[recipe.name] ?? {};
    return {
      name: recipe.name,
      kind: 'debated',
      needs: 'redis',
      on: [{ id: recipe.name, nodes, meaning: recipe.flaw }],
      open: named(recipe),
      edited: editedRecipe(`debate/${recipe.name}.ts`),
      promises: { renews: false, tokens },
      wire,
    };
  }),
  claimed,
];
