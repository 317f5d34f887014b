import { randomUUID } from 'node:crypto';
import {
  type Arguments,
  holdfastVersion,
  type Io,
  redactText,
  UsageError,
} from 'holdfast/internal';
import { labExpectation } from '../both/cross-check.ts';
import { storyForCell } from '../both/story-for-cell.ts';
import { opener } from '../lab/clients/open-locks-of.ts';
import { type LabRequest, runLab } from '../lab/command/run-lab.ts';
import { hasServers } from '../lab/evaluation/machine.ts';
import { ownLabs } from '../lab/own/own-lab.ts';
import type { OwnSource } from '../lab/own/own-source.ts';
import { createServerFactory, ETCD_HINT, POSTGRES_HINT, ZOOKEEPER_HINT } from '../real/index.ts';
import { externalCommandFrom } from './lock-arguments.ts';
import type { MatrixSelection } from './matrix-selection.ts';
import { installCommand } from './next-steps.ts';
import { wholeNumber } from './number-options.ts';
import { makeFolder } from './output-files.ts';
import { Progress } from './progress.ts';

/** The number of trials of each cell: quick takes about five minutes, full about an hour. */
const PROFILES: Readonly<Record<string, number>> = { quick: 3, full: 10 };
/** Several times what a failover by hand takes, and less than Sentinels take. */
const TTL_MS = 1_500;
const TTLS = { min: 500, max: 60_000 } as const;
const OUTS = { lab: 'out/lab', both: 'out/both' };

export interface LabArguments {
  readonly profile: string;
  /** The source of the user's servers; absent if the laboratory starts its own. */
  readonly source?: OwnSource | undefined;
  readonly args: Arguments;
  readonly selection: MatrixSelection;
  /** The simulator's verdicts, with `--both`. */
  readonly verdicts?: LabRequest['simulator']['verdicts'];
}

/**
 * Compares locks on real servers under real faults; resolves to the exit code.
 * @throws UsageError if the laboratory, or all servers, are not installed, or the profile is unknown
 */
export async function compareInLab(
  { profile, source, args, selection, verdicts }: LabArguments,
  io: Io,
): Promise<number> {
  rejectUnusedOptions(args, verdicts === undefined);
  const { values, flags } = args;
  const trials = PROFILES[profile];
  if (trials === undefined)
    throw new UsageError(`unknown profile "${profile}"`, 'Use short, quick or full.');
  const servers = createServerFactory(io.env, opener);
  const isOwn = source !== undefined;
  if (isOwn && values.has('dial'))
    throw new UsageError('--dial kills servers', 'The lab kills only servers that it started.');
  if (!isOwn && !hasServers(servers))
    throw new UsageError(
      'no server that the lab starts is installed',
      `redis-server: ${installCommand()}; ZooKeeper: ${ZOOKEEPER_HINT}; etcd: ${ETCD_HINT}; PostgreSQL: ${POSTGRES_HINT}`,
    );
  const external = externalCommandFrom(values);
  if (external !== undefined && (isOwn || verdicts !== undefined))
    throw new UsageError(
      '--external is for --servers local alone',
      'The lab injects all faults only into servers that it started itself.',
    );
  const progress = new Progress(io.stderr);
  const { faults, backends } = selection;
  const own = isOwn ? await ownServersScope(source, (text) => progress.step(text)) : undefined;
  return await runLab({
    serverFactory: servers,
    expectationOf: labExpectation,
    simulator: { storyForCell, verdicts },
    ttlMs: wholeNumber(values, { option: 'ttl', fallback: TTL_MS, ...TTLS }),
    otherTtlsMs: isOwn ? [] : otherTtlsFrom(values.get('dial'), profile),
    full: profile === 'full',
    trials: wholeNumber(values, { option: 'trials', fallback: trials, min: 1, max: 1_000 }),
    faults,
    backends,
    own,
    external,
    out: values.get('out') ?? (verdicts === undefined ? OUTS.lab : OUTS.both),
    makeFolder,
    holdfast: holdfastVersion(),
    command: commandOf(profile, values, verdicts === undefined ? shownServers(source) : '--both'),
    json: flags.has('json'),
    print: (text) => {
      progress.clear();
      io.stdout.write(`${text}\n`);
    },
    step: (text) => progress.step(text),
    note: (text) => {
      progress.clear();
      io.stderr.write(`${text}\n`);
    },
  });
}

const SHORT_ONLY = ['processes', 'waiters', 'rounds'];
const SIMULATOR_ONLY = ['seed', 'budget', 'jobs', 'deep', 'with-exhibits'];

/** @throws UsageError for options without effect */
function rejectUnusedOptions({ values, flags }: Arguments, isAlone: boolean): void {
  const others = [...SHORT_ONLY, ...(isAlone ? SIMULATOR_ONLY : [])];
  const idle = others.find((name) => values.has(name) || flags.has(name));
  if (idle !== undefined)
    throw new UsageError(
      `--${idle} is not for the laboratory`,
      SHORT_ONLY.includes(idle)
        ? 'The lab runs three client processes; use --profile short.'
        : 'It is for the simulator: --servers embedded, or --both.',
    );
}

/** Resolves the user's servers, under a unique namespace, which is printed before anything is written. */
async function ownServersScope(
  source: OwnSource,
  step: (text: string) => void,
): Promise<LabRequest['own']> {
  const namespace = `holdfast-lab-${randomUUID()}`;
  step(
    `stores everything under the name ${namespace} alone, and removes it at the end; only kill -9 leaves it`,
  );
  return { servers: await ownLabs(source, namespace), namespace };
}

function shownServers(own: OwnSource | undefined): string {
  return `--servers ${own === undefined ? 'local' : redactText(own.source)}`;
}

/** The other ttls that the full profile measures, in ms. */
const FULL_TTLS = '750,3000,6000';

function otherTtlsFrom(option: string | undefined, profile: string): readonly number[] {
  const list = option ?? (profile === 'full' ? FULL_TTLS : '');
  return list
    .split(',')
    .filter((text) => text.trim() !== '')
    .map((text) =>
      wholeNumber(new Map([['dial', text.trim()]]), { option: 'dial', fallback: 0, ...TTLS }),
    );
}

function commandOf(profile: string, values: ReadonlyMap<string, string>, where: string): string {
  const options = [...values].filter(([name]) => !['servers', 'profile', 'out'].includes(name));
  const typed = options.map(([name, value]) => ` --${name} ${quoted(value)}`).join('');
  return `npx holdfast compare ${where} --profile ${profile}${typed}`;
}

/** As a shell needs it. */
function quoted(value: string): string {
  return /^[\w./:,=-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
