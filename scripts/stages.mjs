// The stages of `npm test`, in order: cheap and informative ones first.

/** A stage is either commands whose exit code counts, or one vitest run whose tests count. */
const stages = [
  { name: 'build', commands: [['tsc', '-b']] },
  // Computes for minutes without waiting, while the stages below wait more than they compute. So it runs next to them, at
  // the lowest priority, and takes no time from servers whose sessions end by the clock.
  { name: 'properties', projects: ['properties', 'harness'], yields: true },
  {
    name: 'checks',
    commands: [
      ['oxlint', '--type-aware', '--deny-warnings'],
      ['biome', 'ci', '--colors=off'],
      ['knip', '--no-progress'],
      ['sherif'],
    ],
  },
  { name: 'unit', projects: ['unit', 'types'] },
  // Tests that start processes of their own run what was built, so these two need the build.
  { name: 'servers', projects: ['servers'], needsBuild: true },
  { name: 'packing', projects: ['packing'], needsBuild: true },
  // Late, for what it needs is installed meanwhile where that can be done.
  { name: 'browser', projects: ['browser'], needsBuild: true },
  // Hours of searching, with the time that real servers leave.
  { name: 'deep', projects: ['deep'], onlyDeep: true, yields: true },
  // Its figures are worth reading also when nothing failed.
  {
    name: 'deep-servers',
    projects: ['deep-servers'],
    needsBuild: true,
    onlyDeep: true,
    report: 'reports/soak.txt',
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
  const chosen = names.length > 0 ? withBuild(named) : stages.filter(({ onlyDeep }) => !onlyDeep);
  const deep = args.includes('--deep') ? stages.filter(({ onlyDeep }) => onlyDeep) : [];
  return [...new Set([...chosen, ...deep])].filter(
    ({ name }) => name !== 'build' || !args.includes('--no-build'),
  );
}

function withBuild(named) {
  const needed = named.some(({ needsBuild }) => needsBuild);
  return stages.filter((stage) => named.includes(stage) || (needed && stage.name === 'build'));
}

function unknown(name) {
  const known = stages.map((stage) => stage.name).join(', ');
  return new Error(`unknown stage "${name}"; use ${known}, or the flags ${FLAGS.join(', ')}`);
}
