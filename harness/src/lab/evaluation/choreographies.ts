import type { FaultId } from '@holdfast/core/backend';
import { columnNamed, isControl, REAL_COLUMNS } from '../../locks/index.ts';
import {
  type Choreography,
  type Deployment,
  FAULT_IDS,
  FAULTS,
  NONE,
  stepsOf,
  type Unplayable,
  type Verb,
  verbOf,
} from '../../simulator/index.ts';
import { deploymentsOf, type LabDeployment, ONLY_SIMULATED } from './deployments.ts';

export interface PlanConditions {
  readonly ttlMs: number;
  /** True if clocks can be shifted. */
  readonly clocks: boolean;
}

/** The view that a fault has of a deployment. */
export function faultView(
  { shifted = [], ...deployment }: Omit<LabDeployment, 'open'>,
  { ttlMs, clocks }: PlanConditions,
): Deployment {
  const verbs = clocks
    ? deployment.verbs
    : deployment.verbs.filter((verb) => !shifted.includes(verb) && !SHIFTS_CLIENTS.has(verb));
  return { ...deployment, ttlMs, verbs };
}

const SHIFTS_CLIENTS: ReadonlySet<Verb> = new Set(['sleep', 'jumpClock']);

/** No fault: the holder leaves, and a waiter acquires the key. */
const CONTENTION: Choreography = {
  description: 'contention only',
  steps: [{ do: 'leave' }, { do: 'hold', until: 'takeover' }],
};

/** The choreographies of a fault on a deployment, which take turns; or why it cannot be run there. */
export function choreographiesOf(
  fault: FaultId,
  deployment: Deployment,
): readonly Choreography[] | Unplayable {
  // Contention needs no verb. But a deployment for one kind of fault alone is not used for it.
  if (fault === NONE)
    return deployment.verbs.includes('pause')
      ? [CONTENTION]
      : { unplayable: 'contention runs on other servers' };
  const choreographies = FAULTS.get(fault).real(deployment);
  if (isUnplayable(choreographies)) return choreographies;
  const missing = choreographies
    .flatMap(stepsOf)
    .flatMap((step) => verbOf(step) ?? [])
    .filter((verb) => !deployment.verbs.includes(verb));
  return missing.length === 0 ? choreographies : { unplayable: missingReason(missing, deployment) };
}

/** Prefers the reason that the deployment states. */
function missingReason(missing: readonly Verb[], { lacks = {} }: Deployment): string {
  return missing.flatMap((verb) => lacks[verb] ?? [])[0] ?? NO_TARGET;
}

export const NO_TARGET = 'it has no server or link that this fault could hit';

export function isUnplayable(
  choreographies: readonly Choreography[] | Unplayable,
): choreographies is Unplayable {
  return 'unplayable' in choreographies;
}

/** A plan does not depend on the length of leases. */
export const ANY_CONDITIONS: PlanConditions = { ttlMs: 1_000, clocks: true };

/** Returns why a fault is not run on a backend; undefined if it is, or if the deployments state no reason. */
export function reasonOf(fault: string, backend: string): string | undefined {
  const columns = REAL_COLUMNS.filter((id) => columnNamed(id).backend === backend);
  const reasons = columns.flatMap(deploymentsOf).map((deployment) => {
    const choreographies = choreographiesOf(fault, faultView(deployment, ANY_CONDITIONS));
    return isUnplayable(choreographies) ? choreographies.unplayable : undefined;
  });
  if (reasons.includes(undefined)) return undefined;
  return reasons.find((reason) => reason !== NO_TARGET);
}

const BACKENDS = [...new Set(REAL_COLUMNS.map((id) => columnNamed(id).backend))].filter(
  (backend) => !isControl(backend),
);

/** Groups faults by backend and reason, or by reason alone if it holds for all backends. */
function unplayedReasons(): readonly string[] {
  const cells = FAULT_IDS.flatMap((fault) =>
    BACKENDS.map((backend) => ({ fault, backend, why: reasonOf(fault, backend) })),
  ).filter(({ why }) => why !== undefined);
  const everywhere = FAULT_IDS.filter(
    (fault) => cells.filter((cell) => cell.fault === fault).length === BACKENDS.length,
  );
  const groups = new Map<string, FaultId[]>();
  for (const { fault, backend, why } of cells) {
    if (everywhere.includes(fault)) continue;
    const group = `on ${backend}: ${why}`;
    groups.set(group, [...(groups.get(group) ?? []), fault]);
  }
  return [
    ...everywhere.map((fault) => `${fault} is ${reasonOf(fault, BACKENDS[0] ?? '')}`),
    ...[...groups].map(([group, faults]) => `${faults.join(', ')} ${group}`),
  ];
}

/** Sentences on what real servers cannot show, and why. */
export const UNPLAYED: readonly string[] = [...unplayedReasons(), ...ONLY_SIMULATED];
