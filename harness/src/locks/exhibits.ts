import type { FaultId } from '@holdfast/core/backend';
import { openExhibit, EXHIBITS as RECIPES } from '../exhibits/index.ts';
import { editedRecipe } from './edited-recipe.ts';
import type { Deployment, LockUnderTest } from './lock.ts';

interface ExhibitSettings {
  /** The labels of its commands in a schedule; faults can also be anchored to its other commands. */
  readonly wire: NonNullable<LockUnderTest['wire']>;
  readonly stories: Readonly<Partial<Record<FaultId, string>>>;
}

const SETTINGS: Readonly<Record<string, ExhibitSettings>> = {
  'setnx-del': {
    wire: wire('SETNX', 'DEL'),
    stories: { 'holder-crash': 'setnx-del-crash' },
  },
  'setnx-expire': {
    wire: wire('SETNX', 'DEL', ['PEXPIRE']),
    stories: { 'holder-crash': 'setnx-expire-crash' },
  },
  'set-nx-fixed': {
    wire: wire('SET', 'DEL'),
    stories: { delay: 'set-nx-fixed-late-del' },
  },
  'set-nx-same-id': {
    wire: wire('SET', 'release'),
    stories: { delay: 'set-nx-same-id-late-release' },
  },
  'set-nx-get-del': {
    wire: wire('SET', 'DEL', ['GET']),
    stories: { delay: 'set-nx-get-del-between' },
  },
  'set-nx-lua': {
    wire: wire('SET', 'release'),
    stories: { pause: 'set-nx-lua-pause' },
  },
};

/** The exhibits, as locks under test. */
export const EXHIBITS: readonly LockUnderTest[] = RECIPES.map(({ name, flaw }) => ({
  name,
  kind: 'exhibit',
  needs: 'redis',
  on: [columnOf(name, flaw)],
  open: ({ node }, host, options) => openExhibit({ name, node, ...options }, host),
  edited: editedRecipe(`${name}.ts`),
  promises: { renews: false, tokens: false },
  ...SETTINGS[name],
}));

/** The column of an exhibit; its name takes two lines, because there are six of them. */
function columnOf(name: string, meaning: string): Deployment {
  const [, first, second] = /^(setnx|set-nx)-(.+)$/.exec(name) ?? [];
  const heading =
    first === undefined || second === undefined ? {} : { heading: [first, second] as const };
  return { id: name, nodes: 1, meaning, ...heading };
}

function wire(
  acquire: string,
  release: string,
  between: readonly string[] = [],
): NonNullable<LockUnderTest['wire']> {
  return {
    labels: { acquire: [acquire], renew: [], release: [release] },
    points: ['acquire', ...between, 'release'],
  };
}
