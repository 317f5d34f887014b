import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FaultId } from '@holdfast/core/backend';
import type { OutcomeId } from '@holdfast/harness/draw';
import type { LabCell, LabReport } from '@holdfast/harness/lab';

/** One library on real servers, in trials of the laboratory: what the page shows of a report. */
export interface Recorded {
  readonly name: string;
  /** The library and its options, in the words of its adapter. */
  readonly used: string;
  /** The column on whose servers it was tested. */
  readonly on: string;
  readonly date: string;
  readonly by: readonly string[];
  readonly ttlMs: number;
  readonly trials: number;
  /** From the crash of the holder to the next grant, the median in ms; null if it was longer than the trial. */
  readonly handoverMs: number | null;
  /** That of the machine before the run, if it was busy. */
  readonly load?: number;
  readonly outcomes: Readonly<Partial<Record<OutcomeId, readonly FaultId[]>>>;
  /** Where a resource that compares tokens did not hold; absent without tokens. */
  readonly fencedBreaks?: readonly FaultId[];
  /** In how many trials an update was lost at a resource that accepts every write; absent where in none. */
  readonly losing: Readonly<Partial<Record<FaultId, number>>>;
  /** Why a cell proved nothing, or was not run. */
  readonly reasons?: Readonly<Partial<Record<FaultId, string>>>;
}

/** A library that is put on the bench as a command, and the lock of ours that is tested in the same run. */
export interface Entrant {
  readonly name: string;
  readonly on: 'redis-simple' | 'redlock' | 'zk';
  /** True for the first on these servers. */
  readonly besideOurs: boolean;
}

export const ENTRANTS: readonly Entrant[] = [
  { name: 'redis-semaphore', on: 'redis-simple', besideOurs: true },
  { name: 'Verrou', on: 'redis-simple', besideOurs: false },
  { name: 'redis-py', on: 'redis-simple', besideOurs: false },
  { name: 'redlock 5, using', on: 'redlock', besideOurs: true },
  { name: 'Curator', on: 'zk', besideOurs: true },
  { name: 'kazoo', on: 'zk', besideOurs: false },
];

const EVERYWHERE: readonly FaultId[] = [
  ...(['none', 'delay', 'reorder', 'lost-reply', 'pause', 'pause-acquire'] as const),
  ...(['client-clock', 'server-clock-forward', 'server-clock-back', 'server-stop'] as const),
  ...(['server-slow', 'restart-empty', 'restart-durable', 'client-cut', 'majority-down'] as const),
  ...(['holder-crash', 'swizzle', 'suspend'] as const),
];

/** What real servers can show of each. */
export const REAL_FAULTS: Readonly<Record<Entrant['on'], readonly FaultId[]>> = {
  'redis-simple': [...EVERYWHERE, 'torn-log', 'failover', 'split-brain'],
  redlock: [...EVERYWHERE, 'torn-log', 'clock-smear'],
  zk: [...EVERYWHERE, 'failover', 'peer-cut'],
};

export function oursNamed(on: Entrant['on']): string {
  return `${on} (ours)`;
}

/** The columns of the laboratory, ours first. */
export const RECORDED: readonly string[] = ENTRANTS.flatMap(({ name, on, besideOurs }) =>
  besideOurs ? [oursNamed(on), name] : [name],
);

export function recordFile(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ' ');
  const file = plain.trim().replaceAll(' ', '-');
  return fileURLToPath(new URL(`found/laboratory/${file}.json`, import.meta.url));
}

/** All that was recorded; a library that was not yet is left out. */
export function readRecords(): readonly Recorded[] {
  return RECORDED.map(recordFile)
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Recorded);
}

/** The part of a report that is kept. `name` is that of the column in the page. */
export function recordOf(report: LabReport, { name, on }: Entrant, column: string): Recorded {
  const external = report.by.find((line) => line.startsWith(EXTERNAL)) ?? '';
  const isOurs = column !== 'external';
  const cells = report.cells.filter((cell) => cell.column === column);
  const crash = cells.find(({ fault }) => fault === 'holder-crash');
  const load = loadIn(report.notes);
  return {
    name,
    used: isOurs ? `holdfast ${report.holdfast}` : external.slice(EXTERNAL.length),
    on,
    date: report.startedAt.slice(0, 10),
    by: versionsIn(report.by, on),
    ttlMs: report.settings.ttlMs,
    trials: report.settings.trials,
    handoverMs: crash?.figures?.handoverMs.median ?? null,
    ...(load !== undefined && { load }),
    ...resultsOf(cells),
  };
}

function resultsOf(cells: readonly LabCell[]): Results {
  const outcomes: Partial<Record<OutcomeId, FaultId[]>> = {};
  const losing: Partial<Record<FaultId, number>> = {};
  const reasons: Partial<Record<FaultId, string>> = {};
  for (const { fault, outcome, figures, reason } of cells) {
    (outcomes[outcome] ??= []).push(fault);
    const hits = figures?.unfenced.hits ?? 0;
    if (hits > 0) losing[fault] = hits;
    if (reason !== undefined) reasons[fault] = reason;
  }
  const fenced = cells.filter((cell) => cell.fenced !== 'n/a');
  const breaks = fenced.flatMap((cell) => (cell.fenced === 'breaks' ? [cell.fault] : []));
  return {
    outcomes,
    losing,
    ...(fenced.length > 0 && { fencedBreaks: breaks }),
    ...(Object.keys(reasons).length > 0 && { reasons }),
  };
}

type Results = Pick<Recorded, 'outcomes' | 'fencedBreaks' | 'losing' | 'reasons'>;

/** As records are kept: a line for each field. */
export function recordText(record: Recorded): string {
  const lines = Object.entries(record).map(([key, value]) => `"${key}":${JSON.stringify(value)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

/** The load that the laboratory noted, if the machine was busy. */
function loadIn(notes: readonly string[]): number | undefined {
  const [, load] = notes.map((note) => /with a load of ([\d.]+)/.exec(note)).find(Boolean) ?? [];
  return load === undefined ? undefined : Number(load);
}

const EXTERNAL = 'external: ';

/** Those of the servers of this lock, of Node, and of the machine. */
function versionsIn(by: readonly string[], on: Entrant['on']): readonly string[] {
  const server = on === 'zk' ? 'ZooKeeper' : 'redis-server';
  const kept = by.filter((line) =>
    [server, 'Node', 'one host'].some((start) => line.startsWith(start)),
  );
  return kept.map((line) => (line.startsWith('Node') ? (line.split(',')[0] ?? line) : line));
}
