import type { FaultId } from '@holdfast/core';
import {
  type Choreography,
  type Deployment,
  FAULTS,
  NONE,
  stepsOf,
  type Unplayable,
  type Verb,
  verbOf,
} from '../../simulator/index.ts';
import type { LabDeployment } from './deployments.ts';

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
