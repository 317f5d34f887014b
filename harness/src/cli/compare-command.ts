import { join } from 'node:path';
import { type Arguments, type CommandBody, type Io, UsageError } from 'holdfast/internal';
import { formatClosing } from '../compare/format-closing.ts';
import { comparisonExitCode } from '../compare/judge-compared-cell.ts';
import { paintFor } from '../compare/paint.ts';
import { isForLab } from '../lab/own/own-lab.ts';
import type { OwnSource } from '../lab/own/own-source.ts';
import { compareBoth, refuseBoth } from './compare-both.ts';
import { COMPARE_OUT, compareShard } from './compare-shard.ts';
import { ownSourceFrom, runnersFor } from './comparison-runners.ts';
import { COMPARE_HELP } from './help.ts';
import { allSizedFrom, externalLockFrom } from './lock-arguments.ts';
import { matrixSelectionFrom } from './matrix-selection.ts';
import { nextSteps } from './next-steps.ts';
import { shardFrom } from './number-options.ts';
import { folderFor, writeText } from './output-files.ts';
import { Progress } from './progress.ts';
import { ConsoleReporter, runComparisons } from './run-comparisons.ts';
import { SETTING_OPTIONS, settingsFrom } from './settings.ts';
import { refuseForShort } from './short-profile.ts';

/** Exit codes that shells use for a command ended by a signal. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export const compareCommand: CommandBody = {
  options: {
    servers: 'value',
    store: 'value',
    json: 'flag',
    out: 'value',
    faults: 'value',
    backends: 'value',
    all: 'flag',
    'with-exhibits': 'flag',
    with: 'value',
    nodes: 'value',
    deep: 'flag',
    both: 'flag',
    shard: 'value',
    profile: 'value',
    dial: 'value',
    external: 'value',
    'external-on': 'value',
    ...SETTING_OPTIONS,
  },
  help: COMPARE_HELP,
  run: compare,
};

async function compare(args: Arguments, io: Io): Promise<number> {
  const { flags, values, operands } = args;
  if (operands.length > 0) throw new UsageError(`unexpected argument "${operands[0]}"`);
  const isBoth = flags.has('both');
  if (isBoth) refuseBoth(values);
  const servers = values.get('servers') ?? (isBoth ? 'local' : 'embedded');
  const shard = shardFrom(values);
  rejectLocksOutsideSimulator(
    values,
    isBoth ? '--both' : shard === undefined ? `--servers ${servers}` : '--shard',
  );
  const source = ownSourceFrom(servers, values.get('store'), io.env);
  const isDeep = flags.has('deep') || shard !== undefined;
  const matrixSelection = matrixSelectionFrom(values);
  const selection = {
    ...matrixSelection,
    locks: locksFrom(values, matrixSelection.backends),
    all: flags.has('all'),
    exhibits: flags.has('with-exhibits'),
  };
  if (shard !== undefined) {
    rejectExternalOutsideLab(values);
    return await compareShard(
      shard,
      { servers, settings: settingsFrom(values, isDeep), selection, args },
      io,
    );
  }
  if (isBoth) {
    const settings = settingsFrom(exceptLabOptions(values), isDeep);
    return await compareBoth({ settings, selection, args }, io);
  }
  const profile = await profileFrom(servers, source, values);
  if (profile !== undefined) {
    // The charts of the laboratory take longer to load than the rest of a comparison.
    const { compareInLab } = await import('./lab.ts');
    return await compareInLab({ profile, source, args, selection }, io);
  }
  rejectExternalOutsideLab(values);
  if (servers === 'local' || source !== undefined) refuseForShort(args, selection);
  const out = folderFor(values.get('out'), COMPARE_OUT);
  const runners = runnersFor(source ?? servers, settingsFrom(values, isDeep), io.env, selection);
  const isJson = flags.has('json');
  const paint = paintFor(io.stdout, io.env);
  const progress = new Progress(io.stderr);
  const reporter = new ConsoleReporter({ out: io.stdout, progress, paint, quiet: isJson });

  const report = await untilSignalled(() => runComparisons(runners, reporter));
  const path = join(out, 'report.json');
  writeText(path, `${JSON.stringify(report, null, 2)}\n`);
  reporter.print([...formatClosing(report, paint), '', ...nextSteps(servers, path, io.env)]);
  if (isJson) io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  return comparisonExitCode(report);
}

/** @throws UsageError for a command as a lock, which only the laboratory runs */
function rejectExternalOutsideLab(values: ReadonlyMap<string, string>): void {
  if (values.has('external') || values.has('external-on'))
    throw new UsageError(
      '--external is for the laboratory',
      'Use --servers local, with --profile quick or full.',
    );
}

/** The options that only a whole run of the simulator has. */
const EMBEDDED_ONLY = ['with', 'nodes'];

/** @throws UsageError for a lock outside the matrix, if only those of the matrix can be run */
function rejectLocksOutsideSimulator(values: ReadonlyMap<string, string>, where: string): void {
  const option = EMBEDDED_ONLY.find((each) => values.has(each));
  if (option === undefined || where === '--servers embedded') return;
  throw new UsageError(
    `--${option} is for the simulator, not for ${where}`,
    'Leave out one of the two.',
  );
}

/** The locks that have no column in the matrix. */
function locksFrom(
  values: ReadonlyMap<string, string>,
  backends: readonly string[] | undefined,
): readonly string[] {
  const sized = allSizedFrom(values, backends).map((each) => each.sized);
  const external = externalLockFrom(values);
  return external === undefined ? sized : [...sized, external];
}

/** The profile with three faults, which needs no laboratory. */
const SHORT = 'short';

/** Leaves out the option that the laboratory reads itself, with its own bounds. */
function exceptLabOptions(values: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...values].filter(([name]) => name !== 'trials'));
}

/** The profile of the laboratory; undefined if it is not used. */
async function profileFrom(
  servers: string,
  source: OwnSource | undefined,
  values: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const profile = values.get('profile');
  const isReal = servers === 'local' || source !== undefined;
  if (profile !== undefined && !isReal)
    throw new UsageError(
      `--profile is for real servers, not --servers ${servers}`,
      'Use --servers local.',
    );
  if (!isReal || profile === SHORT) return undefined;
  if (profile === undefined && source !== undefined && !(await isForLab(source))) return undefined;
  return profile ?? 'quick';
}

/** Runs `run`. A signal ends the process through `process.exit`, so that its children are ended with it. */
async function untilSignalled<T>(run: () => Promise<T>): Promise<T> {
  const handlers = Object.entries(SIGNAL_CODES).map(([signal, code]) => {
    const end = (): void => process.exit(code);
    process.once(signal, end);
    return () => process.off(signal, end);
  });
  try {
    return await run();
  } finally {
    for (const remove of handlers) remove();
  }
}
