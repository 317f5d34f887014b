import { ZK_MUTANTS } from './mutants/zk.ts';
import { saidOf } from './record.ts';
import { SIMULATOR_MUTANTS } from './simulator/mutants.ts';
import { diffOf } from './track-record-chapter.ts';

const SCENES = `## By one scene

Some of what goes wrong in a session of ZooKeeper wants things that no generated schedule does: a node that an earlier
session of the same contender has left, a follower that is cut off right after a standstill, somebody who counts how many
are woken. Each of these is tried by one scene that was written for it, and not found by any search: there is no schedule,
and so no string. The right recipe and an unchanged copy of it come through the same scene.
`;

const SIMULATORS = `## Wrong simulators

A simulator that is wrong makes every search worthless, and none of them says so. Each of these lacks one rule, and one check
of \`test/broken/simulator/\` tells it from the right one.
`;

/** Mutants of the ZooKeeper recipe that no schedule is needed for. */
export function byScenes(): string {
  const parts = ZK_MUTANTS.map((mutant) => ({
    ...mutant,
    path: `packages/zk/src/${mutant.file}`,
    by: `scene *${mutant.scenario}*`,
  }));
  return [SCENES, ...parts.map(shown)].join('\n');
}

export function wrongSimulators(): string {
  const parts = SIMULATOR_MUTANTS.map((fault) => ({
    ...fault,
    path: fault.file,
    by: `check *${fault.check}*`,
  }));
  return [SIMULATORS, ...parts.map(shown)].join('\n');
}

interface MutantEntry {
  readonly name: string;
  readonly why: string;
  readonly path: string;
  readonly find: string;
  readonly replace: string;
  /** What tells it from the right one. */
  readonly by: string;
}

function shown({ name, why, path, by, ...texts }: MutantEntry): string {
  return `### ${name}

${why}

${diffOf(path, texts)}

Convicted by the ${by}: ${saidOf({ name })}.
`;
}
