import type { FaultId } from '@holdfast/core/backend';
import { columnNamed, deploymentOf, isControl, lockOf, REAL_COLUMNS } from '../../locks/index.ts';
import { FAULT_IDS, FAULTS, NONE, stepsOf, verbOf } from '../../simulator/index.ts';
import type { OwnServersScope } from '../deployments/own-servers.ts';
import { type ChoreographyEffects, effectsOf } from '../trials/choreography-effects.ts';
import { ANY_CONDITIONS, choreographiesOf, faultView, isUnplayable } from './choreographies.ts';
import { deploymentOn, deploymentsOf, type LabDeployment, USER_SERVERS } from './deployments.ts';
import { EXTERNAL, type ExternalLock, externalDeployments } from './external.ts';
import { VERBS_SPARING_SERVERS } from './kinds/real-deployment.ts';

/** One fault on one column. */
export interface PlannedCell {
  readonly column: string;
  readonly fault: FaultId;
  /** Its variant, if the matrix has several. */
  readonly variant?: string | undefined;
  readonly deployment: LabDeployment;
}

export interface CellSelection {
  /** All faults if absent. */
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  /** The user's servers, which get no fault; absent if the laboratory starts its own. */
  readonly own?: OwnServersScope | undefined;
  /** A lock that is a command; then no built-in lock is tested unless it is named. */
  readonly external?: ExternalLock | undefined;
  /** True to run every cell that can be run. Named faults are run everywhere in any case. */
  readonly full?: boolean | undefined;
}

/** Every cell that can be run, column by column, always with the control. */
export function plannedCells({
  faults,
  backends,
  own,
  external,
  full,
}: CellSelection): readonly PlannedCell[] {
  const deployments = own === undefined ? deploymentsOr(external) : deploymentsOn(own);
  const all = full === true || faults !== undefined || own !== undefined;
  const named = external === undefined ? backends : (backends ?? []);
  const builtIn = REAL_COLUMNS.filter(
    (id) => isControl(id) || named === undefined || named.includes(columnNamed(id).backend),
  );
  const columns = external === undefined ? builtIn : [...builtIn, EXTERNAL];
  const rows = FAULT_IDS.filter((fault) => faults === undefined || faults.includes(fault));
  return columns.flatMap((column) =>
    [...new Set<FaultId>(isControl(column) ? [NONE, ...rows] : rows)].flatMap((fault) => {
      const cell = cellOf(column, fault, deployments(column));
      return cell === undefined || !(all || isInQuickProfile(cell)) ? [] : [cell];
    }),
  );
}

function deploymentsOr(external: ExternalLock | undefined): typeof deploymentsOf {
  return (column) =>
    column === EXTERNAL && external !== undefined
      ? externalDeployments(external)
      : deploymentsOf(column);
}

/** The cells that the lock whose servers it uses has, and an external one has not, each with the reason. */
export function unplayableExternal(
  selection: CellSelection & { readonly external: ExternalLock },
): readonly { readonly fault: FaultId; readonly reason: string }[] {
  const { external } = selection;
  const { backend } = columnNamed(external.on);
  const own = plannedCells({ ...selection, external: undefined, backends: [backend] });
  return own.flatMap(({ column, fault }) => {
    if (column !== external.on) return [];
    const reasons = externalDeployments(external).map((deployment) => {
      const choreographies = choreographiesOf(fault, faultView(deployment, ANY_CONDITIONS));
      return isUnplayable(choreographies) ? choreographies.unplayable : undefined;
    });
    const reason = reasons.includes(undefined) ? undefined : reasons[0];
    return reason === undefined ? [] : [{ fault, reason }];
  });
}

function deploymentsOn({ servers }: OwnServersScope): typeof deploymentsOf {
  return (column) =>
    isControl(column)
      ? deploymentsOf(column)
      : servers.flatMap((each) => (each.backend === column ? deploymentOn(each) : []));
}

/** Plans a fault on the first deployment that can show it; undefined if none can. */
function cellOf(
  column: string,
  fault: FaultId,
  deployments: readonly LabDeployment[],
): PlannedCell | undefined {
  for (const deployment of deployments) {
    const choreographies = choreographiesOf(fault, faultView(deployment, ANY_CONDITIONS));
    if (isUnplayable(choreographies)) continue;
    const variant = choreographies[0]?.variant;
    return { column, fault, deployment, ...(variant === undefined ? {} : { variant }) };
  }
  return undefined;
}

function isInQuickProfile({ fault, deployment }: PlannedCell): boolean {
  if (deployment.isFurther) return false;
  return (
    fault === NONE ||
    FAULTS.get(fault).isMostTelling?.(faultView(deployment, ANY_CONDITIONS)) === true
  );
}

/**
 * The cells that are measured with other ttls: what happens when a server dies, and how long a handover takes when the
 * holder dies.
 */
export interface TtlSweep {
  readonly column: string;
  readonly death: PlannedCell;
  readonly crash: PlannedCell;
}

export const TTL_SWEEPS: readonly TtlSweep[] = REAL_COLUMNS.flatMap((column) => {
  const dial = deploymentOf(column)?.dial;
  if (dial === undefined) return [];
  // A holder's crash promotes no server, so the usual servers of the lock show it as well.
  const usual = lockOf(column)?.on[0].id ?? column;
  const death = planned(cellOf(column, dial.death, deploymentsOf(column)), column);
  return [{ column, death, crash: planned(crashCellOf(usual), usual) }];
});

/** Plans the fault that kills the holder's process. */
function crashCellOf(column: string): PlannedCell | undefined {
  const cells = FAULT_IDS.flatMap((fault) => cellOf(column, fault, deploymentsOf(column)) ?? []);
  return cells.find((cell) => hasEffect(cell, ({ holderDies }) => holderDies));
}

function planned(cell: PlannedCell | undefined, column: string): PlannedCell {
  if (cell === undefined) throw new Error(`${column} cannot run the faults of its ttl dial`);
  return cell;
}

/** The faults that some column can show. */
export const LAB_FAULTS: readonly FaultId[] = FAULT_IDS.filter((fault) =>
  REAL_COLUMNS.some((column) => cellOf(column, fault, deploymentsOf(column)) !== undefined),
);

/** The faults that can be run on the user's servers, because they hit only clients and links. */
export const CLIENT_FAULTS: readonly FaultId[] = FAULT_IDS.filter(
  (fault) => !isUnplayable(choreographiesOf(fault, faultView(USER_SERVERS, ANY_CONDITIONS))),
);

/** True if the cell needs a shifted clock, which needs a C compiler. */
export function needsClock({ fault, deployment }: PlannedCell): boolean {
  return isUnplayable(
    choreographiesOf(fault, faultView(deployment, { ...ANY_CONDITIONS, clocks: false })),
  );
}

/** True if the fault shifts clocks of clients, which needs other client processes. */
export function shiftsClients(cell: PlannedCell): boolean {
  return hasEffect(cell, (effects) => effects.shiftsClients);
}

function hasEffect(
  { fault, deployment }: PlannedCell,
  has: (effects: ChoreographyEffects) => boolean,
): boolean {
  const view = faultView(deployment, ANY_CONDITIONS);
  const choreographies = choreographiesOf(fault, view);
  return (
    !isUnplayable(choreographies) &&
    choreographies.some((choreography) => has(effectsOf(choreography, view)))
  );
}

/** True if the fault hits only clients and their links, and no server. */
export function sparesServers(fault: FaultId): boolean {
  const cells = REAL_COLUMNS.flatMap((id) => cellOf(id, fault, deploymentsOf(id)) ?? []);
  return cells.every(({ deployment }) => {
    const choreographies = choreographiesOf(fault, faultView(deployment, ANY_CONDITIONS));
    const verbs = isUnplayable(choreographies) ? [] : choreographies.flatMap(stepsOf).map(verbOf);
    return verbs.every((verb) => verb === undefined || VERBS_SPARING_SERVERS.has(verb));
  });
}

/** Cells that the quick profile leaves out: they could matter, they were only not run. */
export function skippedNote(
  { full, faults, backends, own, external }: CellSelection,
  count: number,
): readonly string[] {
  if (full === true || faults !== undefined || own !== undefined) return [];
  const all = plannedCells({ backends, external, full: true }).length;
  return [`${count} of ${all} cells were run, the most telling; --profile full runs all`];
}
