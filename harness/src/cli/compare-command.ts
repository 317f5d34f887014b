import { join } from 'node:path';
import { type Arguments, type Command, type Io, UsageError } from 'holdfast/internal';
import { formatClosing } from '../compare/format-closing.ts';
import { exitCodeOf } from '../compare/judge-compared-cell.ts';
import { paintFor } from '../compare/paint.ts';
import { isForLab } from '../lab/own/own-lab.ts';
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

/** As a shell reports a command that a signal ended. */
const SIGNAL_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export const compareCommand: Command = {
  name: 'compare',
  summary: 'show what each lock loses under which fault, and what it costs',
  options: {
    servers: 'value',
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
  const isDeep = flags.has('deep') || shard !== undefined;
  const named = matrixSelectionFrom(values);
  const selection = {
    ...named,
    locks: locksFrom(values, named.backends),
    all: flags.has('all'),
    exhibits: flags.has('with-exhibits'),
  };
  if (shard !== undefined)
    return await compareShard(
      shard,
      { servers, settings: settingsFrom(values, isDeep), selection, args },
      io,
    );
  if (isBoth) {
    const settings = settingsFrom(exceptLabOptions(values), isDeep);
    return await compareBoth({ settings, selection, args }, io);
  }
  const source = ownSourceFrom(servers, io.env);
  const profile = await profileFrom(servers, source, values);
  if (profile !== undefined) {
    // Its charts take longer to load than all else that a comparison needs.
    const { compareInLab } = await import('./lab.ts');
    return await compareInLab({ profile, source, args, selection }, io);
  }
  if (servers === 'local' || source !== undefined) refuseForShort(args, selection);
  const out = folderFor(values.get('out'), COMPARE_OUT);
  const stages = runnersFor(servers, settingsFrom(values, isDeep), io.env, selection);
  const isJson = flags.has('json');
  const paint = paintFor(io.stdout, io.env);
  const progress = new Progress(io.stderr);
  const audience = new ConsoleReporter({ out: io.stdout, progress, paint, quiet: isJson });

  const report = await untilSignalled(() => runComparisons(stages, audience));
  const path = join(out, 'report.json');
  writeText(path, `${JSON.stringify(report, null, 2)}\n`);
  audience.print([...formatClosing(report, paint), '', ...nextSteps(servers, path, io.env)]);
  if (isJson) io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  return exitCodeOf(report);
}

/** What only the simulator plays, and only as a whole. */
const EMBEDDED_ONLY = ['with', 'nodes'];

/** @throws UsageError for a lock beside those of the matrix, where only these can be played */
function rejectLocksOutsideSimulator(values: ReadonlyMap<string, string>, where: string): void {
  const option = EMBEDDED_ONLY.find((each) => values.has(each));
  if (option === undefined || where === '--servers embedded') return;
  throw new UsageError(
    `--${option} is for the simulator, not for ${where}`,
    'Leave out one of the two.',
  );
}

/** Locks beside those that the matrix has a column for. */
function locksFrom(
  values: ReadonlyMap<string, string>,
  backends: readonly string[] | undefined,
): readonly string[] {
  const sized = allSizedFrom(values, backends).map((each) => each.sized);
  const guest = externalLockFrom(values);
  return guest === undefined ? sized : [...sized, guest];
}

/** Three faults, without the laboratory. */
const SHORT = 'short';

/** What the laboratory reads itself, within bounds of its own. */
function exceptLabOptions(values: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...values].filter(([name]) => name !== 'trials'));
}

/** How long the laboratory is to try; undefined where it has nothing to do. */
async function profileFrom(
  servers: string,
  source: string | undefined,
  values: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const profile = values.get('profile');
  const isReal = servers === 'local' || source !== undefined;
  if (profile !== undefined && !isReal)
    throw new UsageError(`--profile is for real servers, not --servers ${servers}`, 'Try local.');
  if (!isReal || profile === SHORT) return undefined;
  if (profile === undefined && source !== undefined && !(await isForLab(source))) return undefined;
  return profile ?? 'quick';
}

/** A signal ends this process the ordinary way, so that its children are ended with it. */
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
