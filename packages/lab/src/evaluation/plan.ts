import { FAULT_IDS, type FaultId } from '@holdfast/core';
import { type ClockedEnsemble, Ensemble } from '../sites/ensemble.ts';
import { FiveRedis } from '../sites/five-redis.ts';
import { noLock } from '../sites/no-lock.ts';
import { ReplicatedRedis } from '../sites/redis-pair.ts';
import { SentinelRedis } from '../sites/sentinel-redis.ts';
import { SingleRedis } from '../sites/single-redis.ts';
import type { Site, SiteParts } from '../sites/site.ts';
import { LAB_COLUMN_IDS, LAB_COLUMNS, type LabColumnId } from './columns.ts';

/** What a site is made of, and the ensemble, which is started for the first trial that needs it. */
export interface Grounds extends SiteParts {
  ensemble(): Promise<ClockedEnsemble>;
}

type OpenSite = (grounds: Grounds) => Promise<Site>;

/** One fault on one column. */
export interface PlannedCell {
  readonly column: LabColumnId;
  readonly fault: FaultId;
  readonly open: OpenSite;
}

const single: OpenSite = (grounds) => SingleRedis.open(grounds);
const logged: OpenSite = (grounds) => SingleRedis.open(grounds, { durable: true });
const legacy: OpenSite = (grounds) => SingleRedis.open(grounds, { backend: 'redis-getset' });
const pair: OpenSite = (grounds) => ReplicatedRedis.open(grounds);
const sentinel: OpenSite = (grounds) => SentinelRedis.open(grounds);
const five: OpenSite = (grounds) => FiveRedis.open(grounds);
const ensemble: OpenSite = async (grounds) => Ensemble.open(grounds, await grounds.ensemble());

/** Of each column the faults that real servers can show, and on which servers. */
const PLAYS: Readonly<Record<LabColumnId, Readonly<Partial<Record<FaultId, OpenSite>>>>> = {
  'no-lock': { none: () => Promise.resolve(noLock()), pause: () => Promise.resolve(noLock()) },
  'redis-simple': {
    none: single,
    delay: single,
    pause: single,
    'server-clock-forward': single,
    'server-clock-back': single,
    'server-stop': single,
    'restart-empty': single,
    'restart-durable': logged,
    'torn-log': logged,
    failover: pair,
    'split-brain': pair,
    'client-cut': single,
    'holder-crash': single,
  },
  'redis-simple/sentinel': { failover: sentinel },
  'redis-getset': {
    none: legacy,
    'server-stop': legacy,
    'restart-empty': legacy,
    'holder-crash': legacy,
  },
  redlock: {
    none: five,
    delay: five,
    pause: five,
    'server-clock-forward': five,
    'server-clock-back': five,
    'server-stop': five,
    'restart-empty': five,
    'client-cut': five,
    'majority-down': five,
    'holder-crash': five,
  },
  zk: {
    none: ensemble,
    delay: ensemble,
    pause: ensemble,
    'server-clock-forward': ensemble,
    'server-clock-back': ensemble,
    'server-stop': ensemble,
    failover: ensemble,
    'client-cut': ensemble,
    'holder-crash': ensemble,
  },
};

export interface Wanted {
  /** All where absent. */
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
}

/** Every cell that can be played, column by column; the control is always among them. */
export function plannedCells({ faults, backends }: Wanted): readonly PlannedCell[] {
  const columns = LAB_COLUMN_IDS.filter(
    (id) =>
      id === 'no-lock' || backends === undefined || backends.includes(LAB_COLUMNS[id].backend),
  );
  const rows = FAULT_IDS.filter((fault) => faults === undefined || faults.includes(fault));
  return columns.flatMap((column) =>
    [...new Set<FaultId>(column === 'no-lock' ? ['none', ...rows] : rows)].flatMap((fault) => {
      const open = PLAYS[column][fault];
      return open === undefined ? [] : [{ column, fault, open }];
    }),
  );
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
  return { column, fault, open };
}

export const DIALS: readonly Dial[] = [
  {
    column: 'redis-simple/sentinel',
    death: cell('redis-simple/sentinel', 'failover'),
    // Nothing is promoted when a holder dies: one Redis shows it as well.
    crash: cell('redis-simple', 'holder-crash'),
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
  Object.values(PLAYS).some((plays) => plays[fault] !== undefined),
);
