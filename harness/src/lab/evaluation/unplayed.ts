import type { FaultId } from '@holdfast/core';
import { columnNamed, isControl, REAL_COLUMNS } from '../../locks/index.ts';
import { FAULT_IDS } from '../../simulator/index.ts';
import { choreographiesOf, faultView, isUnplayable, NO_TARGET } from './choreographies.ts';
import { deploymentsOf } from './deployments.ts';

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
