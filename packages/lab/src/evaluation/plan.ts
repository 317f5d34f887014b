import type { FaultId } from '@holdfast/core';
import { FAULT_IDS } from '@holdfast/sim';
import type { OwnGrounds } from '../servers/own.ts';
import { OwnSite } from '../sites/own-site.ts';
import { LAB_COLUMN_IDS, LAB_COLUMNS, type LabColumnId } from './columns.ts';
import { FURTHER, type OpenSite, PLAYS, type Plays } from './plays.ts';

export { UNPLAYED } from './unplayed.ts';

/** One fault on one column. */
export interface PlannedCell {
  readonly column: LabColumnId;
  readonly fault: FaultId;
  readonly open: OpenSite;
  /** By what the ttl is multiplied, where servers take long to come back. */
  readonly ttls: number;
}

/** A JVM takes its time to come back, and the holder must not notice before that. */
const TTLS: Readonly<Partial<Record<LabColumnId, number>>> = { 'zk/single': 4 };

export interface Wanted {
  /** All where absent. */
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** Servers of the user's, which are not struck; else all are of our own. */
  readonly own?: OwnGrounds | undefined;
  /** Whether all is played that can be; faults that are named are played everywhere in any case. */
  readonly full?: boolean | undefined;
}

/** Faults that strike clients, or the ways on which they reach their servers. */
export const CLIENT_FAULTS: readonly FaultId[] = [
  'none',
  'delay',
  'pause',
  'client-cut',
  'holder-crash',
];

/** Every cell that can be played, column by column; the control is always among them. */
export function plannedCells({ faults, backends, own, full }: Wanted): readonly PlannedCell[] {
  const plays = own === undefined ? playsOf(full === true || faults !== undefined) : playsOn(own);
  const columns = LAB_COLUMN_IDS.filter(
    (id) =>
      id === 'no-lock' || backends === undefined || backends.includes(LAB_COLUMNS[id].backend),
  );
  const rows = FAULT_IDS.filter((fault) => faults === undefined || faults.includes(fault));
  return columns.flatMap((column) =>
    [...new Set<FaultId>(column === 'no-lock' ? ['none', ...rows] : rows)].flatMap((fault) => {
      const open = plays[column]?.[fault];
      return open === undefined ? [] : [{ column, fault, open, ttls: TTLS[column] ?? 1 }];
    }),
  );
}

function playsOf(all: boolean): Readonly<Partial<Record<LabColumnId, Plays>>> {
  if (!all) return PLAYS;
  return Object.fromEntries(
    LAB_COLUMN_IDS.map((column) => [column, { ...PLAYS[column], ...FURTHER[column] }]),
  );
}

function playsOn({ servers }: OwnGrounds): Readonly<Partial<Record<LabColumnId, Plays>>> {
  const columns = servers.map((each): [LabColumnId, Plays] => {
    const open: OpenSite = (grounds) => OwnSite.open(grounds, each);
    return [each.backend, Object.fromEntries(CLIENT_FAULTS.map((fault) => [fault, open]))];
  });
  return { 'no-lock': PLAYS['no-lock'], ...Object.fromEntries(columns) };
}

/** What is turned with the ttl: what becomes of the lock when a server dies, and who waits how long when the holder does. */
export interface Dial {
  readonly column: LabColumnId;
  readonly death: PlannedCell;
  readonly crash: PlannedCell;
}

function cell(column: LabColumnId, fault: FaultId): PlannedCell {
  const open = PLAYS[column][fault];
  if (open === undefined) throw new Error(`${fault} is not played on ${column}`);
  return { column, fault, open, ttls: 1 };
}

export const DIALS: readonly Dial[] = [
  {
    column: 'redis-simple/sentinel',
    death: cell('redis-simple/sentinel', 'failover'),
    // Nothing is promoted when a holder dies: one Redis shows it as well.
    crash: cell('redis-simple', 'holder-crash'),
  },
  {
    column: 'redis-getset',
    // Nobody takes the place of its one server: it comes back, and has forgotten.
    death: cell('redis-getset', 'restart-empty'),
    crash: cell('redis-getset', 'holder-crash'),
  },
  {
    column: 'redlock',
    death: cell('redlock', 'restart-empty'),
    crash: cell('redlock', 'holder-crash'),
  },
  { column: 'zk', death: cell('zk', 'failover'), crash: cell('zk', 'holder-crash') },
];

/** All faults that some column can be shown under. */
export const LAB_FAULTS: readonly FaultId[] = FAULT_IDS.filter((fault) =>
  Object.values(playsOf(true)).some((plays) => plays[fault] !== undefined),
);

/** What takes a shifted clock, which is to be had only with a C compiler. */
export function needsClock({ column, fault }: PlannedCell): boolean {
  if (fault === 'suspend' || fault === 'client-clock') return true;
  if (fault === 'server-clock-back') return true;
  return fault === 'server-clock-forward' && column === 'zk';
}

/** Whose clocks the fault shifts: those of clients take other processes. */
export function shiftsClients({ fault }: PlannedCell): boolean {
  return fault === 'suspend' || fault === 'client-clock';
}
