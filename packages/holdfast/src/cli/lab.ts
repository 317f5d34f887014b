import type { FaultId } from '@holdfast/core';
import { moduleUrl } from '../backends/module-file.ts';
import { expectationOf } from '../compare/expected.ts';
import type { OutcomeId } from '../compare/notation.ts';
import { type Plant, plant } from '../local/plant.ts';
import { ZOOKEEPER_HINT } from '../local/zookeeper-install.ts';
import type { Chosen } from './chosen.ts';
import { installCommand } from './install-command.ts';
import type { Io } from './io.ts';
import { Progress } from './progress.ts';
import { UsageError } from './usage-error.ts';
import { holdfastVersion } from './version.ts';
import { wholeNumber } from './whole-number.ts';

export const LAB = '@holdfast/lab';

/** How many strikes a cell gets: about four minutes for everything, and half an hour. */
const PROFILES: Readonly<Record<string, number>> = { quick: 3, full: 10 };
/** Several times what a Redis takes to fail over by hand, and below what Sentinels take. */
const TTL_MS = 1_500;
const TTLS = { min: 500, max: 60_000 } as const;
const LAB_OUT = 'out/lab';

interface Stated {
  readonly outcome: OutcomeId;
  readonly fenced: string;
}

/** What the package exports, as far as it is used here. */
interface Lab {
  runLab(request: {
    readonly plant: Plant;
    readonly expectationOf: (place: {
      readonly fault: FaultId;
      readonly column: string;
    }) => Stated | undefined;
    readonly ttlMs: number;
    readonly dial: readonly number[];
    readonly trials: number;
    readonly faults?: readonly string[] | undefined;
    readonly backends?: readonly string[] | undefined;
    readonly out: string;
    readonly holdfast: string;
    readonly command: string;
    readonly json: boolean;
    print(text: string): void;
    step(text: string): void;
  }): Promise<number>;
}

export interface LabArguments {
  readonly profile: string;
  readonly values: ReadonlyMap<string, string>;
  readonly chosen: Chosen;
  readonly json: boolean;
}

/**
 * Compares on real servers under real faults; resolves to the exit code.
 * @throws UsageError where the laboratory, or all servers, are not installed, or the profile is unknown
 */
export async function compareInLab(
  { profile, values, chosen, json }: LabArguments,
  io: Io,
): Promise<number> {
  const trials = PROFILES[profile];
  if (trials === undefined)
    throw new UsageError(`there is no profile "${profile}"`, 'It is short, quick or full.');
  const lab = await loadLab();
  const servers = plant(io.env);
  if (servers.redis === undefined && servers.zookeeper === undefined)
    throw new UsageError(
      'neither redis-server nor ZooKeeper is installed',
      `redis-server: ${installCommand()}; ZooKeeper: ${ZOOKEEPER_HINT}`,
    );
  const progress = new Progress(io.stderr);
  const { faults, backends } = chosen;
  return await lab.runLab({
    plant: servers,
    expectationOf: stated,
    ttlMs: wholeNumber(values, { option: 'ttl', fallback: TTL_MS, ...TTLS }),
    dial: dialFrom(values.get('dial'), profile),
    trials: wholeNumber(values, { option: 'trials', fallback: trials, min: 1, max: 1_000 }),
    faults,
    backends,
    out: values.get('out') ?? LAB_OUT,
    holdfast: holdfastVersion(),
    command: commandOf(profile, values),
    json,
    print: (text) => {
      progress.clear();
      io.stdout.write(`${text}\n`);
    },
    step: (text) => progress.step(text),
  });
}

/** A full evaluation turns the dial by itself. */
const FULL_DIAL = '750,3000,6000';

function dialFrom(said: string | undefined, profile: string): readonly number[] {
  const list = said ?? (profile === 'full' ? FULL_DIAL : '');
  return list
    .split(',')
    .filter((text) => text.trim() !== '')
    .map((text) =>
      wholeNumber(new Map([['dial', text.trim()]]), { option: 'dial', fallback: 0, ...TTLS }),
    );
}

/** Rows of the matrix that are played here, where a fault has several. */
const VARIANTS: Readonly<Partial<Record<FaultId, string>>> = {
  failover: 'clocks level',
  'split-brain': 'clocks level',
};

/** What the matrix states; nothing of a column that has servers of its own kind, such as Sentinels. */
function stated({ fault, column }: { fault: FaultId; column: string }): Stated | undefined {
  if (column.includes('/')) return undefined;
  const variant = VARIANTS[fault];
  const row = variant === undefined ? { fault } : { fault, variant };
  const expectation = expectationOf({ how: 'measured', column, ...row });
  if (expectation === undefined) return undefined;
  // What cannot matter there is played all the same: a control, which has to do nothing.
  if (expectation.outcome === 'inert') return { outcome: 'holds', fenced: 'holds' };
  return { outcome: expectation.outcome, fenced: expectation.fenced };
}

function commandOf(profile: string, values: ReadonlyMap<string, string>): string {
  const options = [...values].filter(([name]) => !['servers', 'profile', 'out'].includes(name));
  const said = options.map(([name, value]) => ` --${name} ${value}`).join('');
  return `npx holdfast compare --servers local --profile ${profile}${said}`;
}

export async function isLabInstalled(): Promise<boolean> {
  return (await findLab()) !== undefined;
}

async function loadLab(): Promise<Lab> {
  const lab = await findLab();
  if (lab !== undefined) return lab;
  throw new UsageError('the laboratory is not installed', `Install it: npm i ${LAB}`);
}

/** Beside this package, or where the user is. */
async function findLab(): Promise<Lab | undefined> {
  for (const place of [LAB, moduleUrl(LAB, process.cwd())]) {
    if (place === undefined) continue;
    try {
      const lab: Lab = await import(place);
      return lab;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  return undefined;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}
