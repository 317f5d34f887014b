// The stages of `npm test`.

/** One phase begins when the one before has ended. The build has none: see `readsSources`. */
export const PHASES = ['test', 'deep'];

/** Tests that play more with HOLDFAST_RUNS: see test/support/runs.ts. */
const RANDOM = [
  'packages/core/test/properties/',
  'packages/zk/test/properties/',
  'harness/test/properties/shards',
  'test/matrix/replies',
];

/** The compiler and the linter are Go programs, and short ones: their collector waits until memory is short. */
const GO = { GOGC: 'off', GOMEMLIMIT: '3GiB' };

/**
 * A stage is either commands whose exit code counts, or one vitest run whose tests count. Lanes of a phase run side by
 * side, the stages of a lane in order: cheap and informative ones first. All but those that read only sources wait for the
 * build. Tests on real servers wait more than they compute, and their sessions end by the clock. So everything beside them
 * runs at a lower priority, by `nice`.
 */
const stages = [
  // Compiles `test/types` too, so it fails where a type is not what they expect.
  {
    name: 'build',
    phase: 'build',
    lane: 'computes',
    commands: [['tsc', '-b', '--checkers', '1']],
    env: GO,
  },
  // Plays schedules for minutes without waiting.
  {
    name: 'properties',
    phase: 'test',
    lane: 'searches',
    nice: 19,
    projects: ['properties'],
  },
  {
    name: 'checks',
    phase: 'test',
    lane: 'computes',
    nice: 10,
    readsSources: true,
    commands: [['biome', 'ci', '--colors=off'], ['knip', '--no-progress'], ['sherif']],
  },
  // Finds the names that a package exports in what was built of it. Beside the build it would read half of it.
  {
    name: 'lint',
    phase: 'test',
    lane: 'computes',
    nice: 10,
    needsBuild: true,
    // One thread waits for no other, and the second core has the tests.
    env: { ...GO, GOMAXPROCS: '1' },
    commands: [['oxlint', '--type-aware', '--deny-warnings']],
  },
  { name: 'unit', phase: 'test', lane: 'computes', nice: 10, projects: ['unit'] },
  // Tests that start processes of their own run what was built, so these need the build.
  { name: 'servers', phase: 'test', lane: 'servers', projects: ['servers*'], needsBuild: true },
  {
    name: 'packing',
    phase: 'test',
    lane: 'computes',
    nice: 10,
    projects: ['packing', 'api'],
    needsBuild: true,
  },
  // Last of its lane: the browser is installed meanwhile, where that can be done.
  {
    name: 'browser',
    phase: 'test',
    lane: 'computes',
    nice: 10,
    projects: ['browser'],
    needsBuild: true,
  },
  // Hours of searching, with the time that real servers leave.
  { name: 'deep', phase: 'deep', lane: 'searches', nice: 19, projects: ['deep'] },
  // The random tests of `properties` whose number of runs is `runs(…)`, many times as long.
  {
    name: 'deep-random',
    phase: 'deep',
    lane: 'searches',
    nice: 19,
    projects: ['properties'],
    files: RANDOM,
    env: { HOLDFAST_RUNS: '10' },
  },
  // Its figures are worth reading also when nothing failed.
  {
    name: 'deep-servers',
    phase: 'deep',
    lane: 'servers',
    projects: ['deep-servers'],
    needsBuild: true,
    reports: ['reports/soak.txt', 'reports/topology-soak.txt'],
  },
];

const FLAGS = ['--deep', '--no-build'];

/**
 * The stages for these arguments: those named, with the build where they need it, or else all. `--deep` adds the long
 * ones, `--no-build` trusts the build that is there. Throws on an unknown argument.
 */
export function chosenStages(args) {
  const names = args.filter((arg) => !FLAGS.includes(arg) && arg !== '--');
  for (const name of names) if (!stages.some((stage) => stage.name === name)) throw unknown(name);
  const named = stages.filter((stage) => names.includes(stage.name));
  const chosen =
    names.length > 0 ? withBuild(named) : stages.filter(({ phase }) => phase !== 'deep');
  const deep = args.includes('--deep') ? stages.filter(({ phase }) => phase === 'deep') : [];
  return [...new Set([...chosen, ...deep])].filter(
    ({ name }) => name !== 'build' || !args.includes('--no-build'),
  );
}

/** The chosen stages of a phase, by lane. */
export function lanesOf(chosen, phase) {
  const here = chosen.filter((stage) => stage.phase === phase);
  const lanes = [...new Set(here.map(({ lane }) => lane))];
  return lanes.map((lane) => here.filter((stage) => stage.lane === lane));
}

function withBuild(named) {
  const needed = named.some(({ needsBuild }) => needsBuild);
  return stages.filter((stage) => named.includes(stage) || (needed && stage.name === 'build'));
}

function unknown(name) {
  const known = stages.map((stage) => stage.name).join(', ');
  return new Error(`unknown stage "${name}"; use ${known}, or the flags ${FLAGS.join(', ')}`);
}
