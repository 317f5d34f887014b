import type { FaultId } from '@holdfast/core';
import { columnNamed, deploymentOf, isControl, lockOf, REAL_COLUMNS } from '../../locks/index.ts';
import { FAULT_IDS, FAULTS, NONE, stepsOf, verbOf } from '../../simulator/index.ts';
import type { OwnServersScope } from '../deployments/own-servers.ts';
import { effectsOf } from '../trials/choreography-effects.ts';
import { choreographiesOf, faultView, isUnplayable } from './choreographies.ts';
import {
  deploymentOn,
  deploymentsOf,
  type LabDeployment,
  USER_SERVERS,
  VERBS_SPARING_SERVERS,
} from './deployments.ts';

export { UNPLAYED } from './choreographies.ts';

/** One fault on one column. */
export interface PlannedCell {
  readonly column: string;
  readonly fault: FaultId;
  /** Which of its variants it is, where the matrix has several. */
  readonly variant?: string | undefined;
  readonly deployment: LabDeployment;
}

export interface CellSelection {
  /** All where absent. */
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** Servers of the user's, which are not struck; else all are of our own. */
  readonly own?: OwnServersScope | undefined;
  /** Whether all is played that can be; faults that are named are played everywhere in any case. */
  readonly full?: boolean | undefined;
}

/** What a plan is made for: how long leases last changes nothing. */
const ANY = { ttlMs: 1_000, clocks: true };

/** Every cell that can be played, column by column; the control is always among them. */
export function plannedCells({
  faults,
  backends,
  own,
  full,
}: CellSelection): readonly PlannedCell[] {
  const deployments = own === undefined ? deploymentsOf : deploymentsOn(own);
  const all = full === true || faults !== undefined || own !== undefined;
  const columns = REAL_COLUMNS.filter(
    (id) => isControl(id) || backends === undefined || backends.includes(columnNamed(id).backend),
  );
  const rows = FAULT_IDS.filter((fault) => faults === undefined || faults.includes(fault));
  return columns.flatMap((column) =>
    [...new Set<FaultId>(isControl(column) ? [NONE, ...rows] : rows)].flatMap((fault) => {
      const cell = cellOf(column, fault, deployments(column));
      return cell === undefined || !(all || isInQuickProfile(cell)) ? [] : [cell];
    }),
  );
}

function deploymentsOn({ servers }: OwnServersScope): typeof deploymentsOf {
  return (column) =>
    isControl(column)
      ? deploymentsOf(column)
      : servers.flatMap((each) => (each.backend === column ? deploymentOn(each) : []));
}

/** On the first servers that can show it; undefined where none can. */
function cellOf(
  column: string,
  fault: FaultId,
  deployments: readonly LabDeployment[],
): PlannedCell | undefined {
  for (const deployment of deployments) {
    const ways = choreographiesOf(fault, faultView(deployment, ANY));
    if (isUnplayable(ways)) continue;
    const variant = ways[0]?.variant;
    return { column, fault, deployment, ...(variant === undefined ? {} : { variant }) };
  }
  return undefined;
}

function isInQuickProfile({ fault, deployment }: PlannedCell): boolean {
  if (deployment.isFurther) return false;
  return fault === NONE || FAULTS.get(fault).isMostTelling?.(faultView(deployment, ANY)) === true;
}

/** What is turned with the ttl: what becomes of the lock when a server dies, and who waits how long when the holder does. */
export interface TtlSweep {
  readonly column: string;
  readonly death: PlannedCell;
  readonly crash: PlannedCell;
}

function plannedCell(column: string, fault: FaultId): PlannedCell {
  const planned = cellOf(column, fault, deploymentsOf(column));
  if (planned === undefined) throw new Error(`${fault} is not played on ${column}`);
  return planned;
}

export const TTL_SWEEPS: readonly TtlSweep[] = REAL_COLUMNS.flatMap((column) => {
  const dial = deploymentOf(column)?.dial;
  if (dial === undefined) return [];
  // Nothing is promoted when a holder dies: the usual servers of the lock show it as well.
  const usual = lockOf(column)?.on[0].id ?? column;
  return [
    { column, death: plannedCell(column, dial.death), crash: plannedCell(usual, 'holder-crash') },
  ];
});

/** All faults that some column can be shown under. */
export const LAB_FAULTS: readonly FaultId[] = FAULT_IDS.filter((fault) =>
  REAL_COLUMNS.some((column) => cellOf(column, fault, deploymentsOf(column)) !== undefined),
);

/** Faults that leave servers alone, those of the user's, too. */
export const CLIENT_FAULTS: readonly FaultId[] = FAULT_IDS.filter(
  (fault) => !isUnplayable(choreographiesOf(fault, faultView(USER_SERVERS, ANY))),
);

/** What takes a shifted clock, which is to be had only with a C compiler. */
export function needsClock({ fault, deployment }: PlannedCell): boolean {
  return isUnplayable(choreographiesOf(fault, faultView(deployment, { ...ANY, clocks: false })));
}

/** Whose clocks the fault shifts: those of clients take other processes. */
export function shiftsClients({ fault, deployment }: PlannedCell): boolean {
  const as = faultView(deployment, ANY);
  const ways = choreographiesOf(fault, as);
  return !isUnplayable(ways) && ways.some((way) => effectsOf(way, as).shiftsClients);
}

/** Whether it strikes clients, or the ways on which they reach their servers, and nothing else. */
export function sparesServers(fault: FaultId): boolean {
  const cells = REAL_COLUMNS.flatMap((id) => cellOf(id, fault, deploymentsOf(id)) ?? []);
  return cells.every(({ deployment }) => {
    const ways = choreographiesOf(fault, faultView(deployment, ANY));
    const verbs = isUnplayable(ways) ? [] : ways.flatMap(stepsOf).map(verbOf);
    return verbs.every((verb) => verb === undefined || VERBS_SPARING_SERVERS.has(verb));
  });
}
