import type { Change } from '../mutate.ts';

/** Mistakes of the client code that finds the server; the cells of topologies in matrix.json name them. */
export const TOPOLOGY_MUTANTS: readonly Change[] = [
  {
    name: 'sentinel-listed-first-wins',
    package: 'redis',
    file: 'sentinel/choose-master.ts',
    find: 'return one.epoch - other.epoch || votes(one) - votes(other);',
    replace: 'return votes(one) - votes(one);',
  },
  {
    name: 'outdated-sentinel-believed',
    package: 'redis',
    file: 'sentinel/master-search.ts',
    find: 'if (epoch >= (this.#epoch ?? 0) ||',
    replace: 'if (epoch >= 0 ||',
  },
  {
    name: 'asking-forgotten',
    package: 'redis',
    file: 'cluster/cluster-node.ts',
    find: "asking: redirect.kind === 'ask' };",
    replace: 'asking: false };',
  },
  {
    name: 'redirected-undo-counts',
    package: 'redis',
    file: 'cluster/cluster-node.ts',
    find: '? this.#follow(args, keepUntilMs, next) : undefined',
    replace: '? Promise.resolve(true) : undefined',
  },
];
