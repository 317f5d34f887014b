import { type CellFigures, type LabReport, shownMs } from '../../harness/test/kit/lab.ts';
import { sampleFigures } from '../support/sample-report.ts';
import {
  type Asked,
  again,
  fencedText,
  line,
  longestText,
  medianText,
  type Rate,
  rateText,
  type Spread,
  tableOf,
} from './measured-text.ts';

/** Tables of docs/evidence/measurements.md, by what they answer; each ends with the command that measures it again. */
export function measuredTable(about: string): string {
  const write = TABLES[about];
  if (write === undefined) throw new Error(`nothing measured is called ${about}`);
  return write(sampleFigures());
}

const TABLES: Readonly<Record<string, (report: LabReport) => string>> = {
  run: runText,
  kinds: kindsTable,
  unavailability: unavailabilityTable,
  fencing: fencingTable,
  dial: dialTable,
};

/** By which run, on what, and what has to be known of it. */
function runText({ command, by, notes, startedAt, settings }: LabReport): string {
  const { trials, ttlMs } = settings;
  return [
    `Measured on ${startedAt.slice(0, 10)}, ${trials} trials per cell, ttl ${ttlMs} ms: \`${command}\`. By ${by.join('; ')}.`,
    ...notes.map((note) => `Note: ${note}.`),
  ].join('\n');
}

const LOCKS = ['redis-simple', 'redis-getset', 'redlock', 'zk'] as const;

function kindsTable(report: LabReport): string {
  const rows: Asked<string> = {
    'faults it was tested under': (column) => `${cellsOf(report, column).length}`,
    'faults with two holders at once': (column) =>
      listOf(cellsOf(report, column).filter(({ figures }) => figures.validity.hits > 0)),
    'faults with a late holder': (column) =>
      listOf(cellsOf(report, column).filter(({ outcome }) => outcome === 'late')),
    'faults with a lost update': (column) =>
      listOf(cellsOf(report, column).filter(({ figures }) => figures.unfenced.hits > 0)),
    '… at a resource that compares tokens': (column) => {
      const fenced = cellsOf(report, column).filter(({ figures }) => figures.fenced !== null);
      if (fenced.length === 0) return '– (no tokens)';
      return listOf(fenced.filter(({ figures }) => (figures.fenced?.hits ?? 0) > 0));
    },
    'without a fault, latency to acquire: p50, p99': (column) => {
      const { p50Ms, p99Ms } = figuresOf(report, column, 'none').phases.during;
      return `${shownMs(p50Ms)}, ${shownMs(p99Ms)}`;
    },
    'without a fault, acquisitions per s of two clients that sleep 10 ms between rounds': (
      column,
    ) => `${Math.round(figuresOf(report, column, 'none').phases.during.perS ?? 0)}`,
  };
  return [tableOf(LOCKS, rows), again(report, '')].join('\n\n');
}

/** Parts that may be away, and their servers: `A` or `C` is the property that the lock gives up then. */
const DEATHS = [
  { name: 'Redis master, Sentinels', column: 'redis-simple/sentinel', fault: 'failover' },
  { name: 'ZooKeeper leader', column: 'zk', fault: 'failover' },
  { name: 'two of five under redlock', column: 'redlock', fault: 'server-stop' },
  { name: 'three of five under redlock', column: 'redlock', fault: 'majority-down' },
] as const;

function unavailabilityTable(report: LabReport): string {
  const figures = (name: string): CellFigures => {
    const { column, fault } = DEATHS.find((death) => death.name === name) ?? DEATHS[0];
    return figuresOf(report, column, fault);
  };
  const rows: Asked<string> = {
    fault: (name) => DEATHS.find((death) => death.name === name)?.fault ?? '',
    'a healthy client without service, median': (name) => {
      const { median } = figures(name).unavailableMs;
      return median === null ? 'longer than the trial' : shownMs(median);
    },
    '… the worse of two clients, median (95 %)': (name) => medianText(figures(name).outageMs),
    longest: (name) => longestText(figures(name).outageMs),
    'two holders at once': (name) => rateText(figures(name).validity),
    'trials in which a lease was lost before another client could have the key': (name) => {
      const { falseLosses } = figures(name);
      return falseLosses === undefined ? '–' : rateText(falseLosses);
    },
    'latency to acquire before and after, p50': (name) => {
      const { before, after } = figures(name).phases;
      return `${shownMs(before.p50Ms)}, ${shownMs(after.p50Ms)}`;
    },
  };
  const asked = '--faults failover,server-stop,majority-down --backends redis-simple,redlock,zk';
  return [
    tableOf(
      DEATHS.map(({ name }) => name),
      rows,
    ),
    again(report, asked),
  ].join('\n\n');
}

const LATE = [
  { column: 'redis-simple', fault: 'pause' },
  { column: 'redis-simple', fault: 'failover' },
  { column: 'redlock', fault: 'pause' },
  { column: 'zk', fault: 'pause' },
  { column: 'zk', fault: 'failover' },
] as const;

function fencingTable(report: LabReport): string {
  const names = LATE.map(({ column, fault }) => `${fault} on ${column}`);
  const figures = (name: string): CellFigures => {
    const { column, fault } = LATE[names.indexOf(name)] ?? LATE[0];
    return figuresOf(report, column, fault);
  };
  const rows: Asked<string> = {
    'trials in which an update was lost, every write accepted': (name) =>
      rateText(figures(name).unfenced),
    '… tokens compared': (name) => fencedText(figures(name).fenced),
    'late writes rejected': (name) => `${figures(name).fencedUpdates?.refused ?? '– (no tokens)'}`,
    'late writes accepted after a larger token': (name) =>
      `${figures(name).fencedUpdates?.stale ?? '– (no tokens)'}`,
  };
  const asked = '--faults pause,failover --backends redis-simple,redlock,zk';
  return [tableOf(names, rows), again(report, asked)].join('\n\n');
}

const TURNED = {
  'redis-simple/sentinel': { death: 'failover', crashOn: 'redis-simple' },
  'redis-getset': { death: 'restart-empty', crashOn: 'redis-getset' },
  redlock: { death: 'restart-empty', crashOn: 'redlock' },
  zk: { death: 'failover', crashOn: 'zk' },
} as const;

function dialTable(report: LabReport): string {
  const columns = Object.keys(TURNED) as (keyof typeof TURNED)[];
  const ttls = [report.settings.ttlMs, ...report.dial.map(({ ttlMs }) => ttlMs)];
  const heads = columns.flatMap((column) => [
    `${column}: two holders at once`,
    'next holder after a crash, median (95 %)',
  ]);
  const lines = [...new Set(ttls)]
    .toSorted((a, b) => a - b)
    .map((ttlMs) => [
      `${ttlMs} ms`,
      ...columns.flatMap((column) => {
        const { broken, handoverMs } = turnedAt(report, column, ttlMs);
        return [rateText(broken), medianText(handoverMs)];
      }),
    ]);
  const dial = [...new Set(report.dial.map(({ ttlMs }) => ttlMs))].join(',');
  const faults = [...new Set([...Object.values(TURNED).map(({ death }) => death), 'holder-crash'])];
  return [
    [['ttl', ...heads], ['ttl', ...heads].map(() => '---'), ...lines].map(line).join('\n'),
    again(
      report,
      `--faults ${faults.join(',')} --backends redis-simple,redis-getset,redlock,zk --dial ${dial}`,
    ),
  ].join('\n\n');
}

function turnedAt(
  report: LabReport,
  column: keyof typeof TURNED,
  ttlMs: number,
): { readonly broken: Rate; readonly handoverMs: Spread } {
  const turned = report.dial.find((point) => point.column === column && point.ttlMs === ttlMs);
  if (turned !== undefined) return turned;
  const { death, crashOn } = TURNED[column];
  return {
    broken: figuresOf(report, column, death).validity,
    handoverMs: figuresOf(report, crashOn, 'holder-crash').handoverMs,
  };
}

interface Played {
  readonly fault: string;
  readonly outcome: string;
  readonly figures: CellFigures;
}

function cellsOf({ cells }: LabReport, column: string): readonly Played[] {
  return cells.flatMap(({ figures, ...cell }) =>
    cell.column === column && figures !== null ? [{ ...cell, figures }] : [],
  );
}

function figuresOf(report: LabReport, column: string, fault: string): CellFigures {
  const cell = cellsOf(report, column).find((each) => each.fault === fault);
  if (cell === undefined) throw new Error(`the sample report has no ${fault} on ${column}`);
  return cell.figures;
}

function listOf(cells: readonly Played[]): string {
  return cells.length === 0 ? 'none' : cells.map(({ fault }) => fault).join(', ');
}
