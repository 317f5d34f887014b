import type { FaultId } from '@holdfast/core';
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
import { deploymentsOf, type LabDeployment } from './deployments.ts';

export interface PlanConditions {
  readonly ttlMs: number;
  /** Whether clocks can be shifted. */
  readonly clocks: boolean;
}

/** A deployment as a fault sees it. */
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

/** Nothing strikes: the holder leaves, and somebody gets in. */
const CONTENTION: Choreography = {
  told: 'contention only',
  steps: [{ do: 'leave' }, { do: 'hold', until: 'takeover' }],
};

/** The ways in which a fault is played there, which take turns; or why it cannot be. */
export function choreographiesOf(
  fault: FaultId,
  deployment: Deployment,
): readonly Choreography[] | Unplayable {
  // It strikes nobody, and so takes no verb; but on servers that show one thing alone it is that.
  if (fault === NONE)
    return deployment.verbs.includes('pause') ? [CONTENTION] : { unplayable: 'nothing strikes' };
  const ways = FAULTS.get(fault).real(deployment);
  if (isUnplayable(ways)) return ways;
  const missing = ways
    .flatMap(stepsOf)
    .flatMap((step) => verbOf(step) ?? [])
    .filter((verb) => !deployment.verbs.includes(verb));
  return missing.length === 0 ? ways : { unplayable: missingReason(missing, deployment) };
}

/** The reason that is worth saying is the one that a deployment states. */
function missingReason(missing: readonly Verb[], { lacks = {} }: Deployment): string {
  return missing.flatMap((verb) => lacks[verb] ?? [])[0] ?? NO_TARGET;
}

export const NO_TARGET = 'there is nothing to strike';

export function isUnplayable(ways: readonly Choreography[] | Unplayable): ways is Unplayable {
  return 'unplayable' in ways;
}

const ANY = { ttlMs: 1_000, clocks: true };

/** Why a fault is not played on a backend, although it is on others; undefined where it is, or nothing is to be said. */
export function reasonOf(fault: string, backend: string): string | undefined {
  const columns = REAL_COLUMNS.filter((id) => columnNamed(id).backend === backend);
  const reasons = columns.flatMap(deploymentsOf).map((deployment) => {
    const ways = choreographiesOf(fault, faultView(deployment, ANY));
    return isUnplayable(ways) ? ways.unplayable : undefined;
  });
  if (reasons.includes(undefined)) return undefined;
  return reasons.find((reason) => reason !== NO_TARGET);
}

const BACKENDS = [...new Set(REAL_COLUMNS.map((id) => columnNamed(id).backend))].filter(
  (backend) => !isControl(backend),
);

/** Faults that one sentence says of a backend together; of all backends, where it says it of all. */
function unplayedReasons(): readonly string[] {
  const places = FAULT_IDS.flatMap((fault) =>
    BACKENDS.map((backend) => ({ fault, backend, why: reasonOf(fault, backend) })),
  ).filter(({ why }) => why !== undefined);
  const everywhere = FAULT_IDS.filter(
    (fault) => places.filter((place) => place.fault === fault).length === BACKENDS.length,
  );
  const groups = new Map<string, FaultId[]>();
  for (const { fault, backend, why } of places) {
    if (everywhere.includes(fault)) continue;
    const group = `on ${backend}: ${why}`;
    groups.set(group, [...(groups.get(group) ?? []), fault]);
  }
  return [
    ...everywhere.map((fault) => `${fault} is ${reasonOf(fault, BACKENDS[0] ?? '')}`),
    ...[...groups].map(([group, faults]) => `${faults.join(', ')} ${group}`),
  ];
}

/** What real servers cannot be made to show, and why. */
export const UNPLAYED: readonly string[] = [
  ...unplayedReasons(),
  'failover and split-brain between servers whose clocks differ are only simulated',
  'zk without the data of a majority, or with torn logs of a minority, is only simulated; one server that forgets shows the first',
];
