import {
  clientsOf,
  type Fault,
  type Random,
  type Schedule,
  type Subject,
} from '../simulator/index.ts';

/** Two clocks that err in opposite directions are then one in a hundred apart, which is what leases declare to bear. */
const PPM_MAX = 5_000;
/** Of the ttl: long enough for whatever a holder has to run out. */
const FAULT_TTLS = 3;

/** Whether leases of a lock declare to bear that clocks run at different rates; where client clocks decide, nothing is. */
function toleratesDrift({ renews }: Subject): boolean {
  return renews;
}

/**
 * The schedule with every clock off by what is declared, work that outlasts the lease, and one holder more that cannot
 * give back what it has: what is left between the end of its lease and somebody else's is then the servers' to say.
 */
export function stressSchedule(schedule: Schedule, subject: Subject, source: Random): Schedule {
  const clients = clientsOf(schedule);
  const struck = clients[source.below(clients.length)] ?? 'a';
  const drifts = toleratesDrift(subject) ? driftsOf(schedule, subject, source) : [];
  const ops = toleratesDrift(subject)
    ? schedule.ops.map((op) => ({ ...op, holdMs: op.holdMs + schedule.ttlMs }))
    : schedule.ops;
  const faults = [...schedule.faults, ...drifts, faultAgainst(struck, schedule, subject, source)];
  return { ...schedule, ops, faults };
}

function driftsOf(schedule: Schedule, { nodes }: Subject, source: Random): readonly Fault[] {
  const ppm = (): number => source.below(2 * PPM_MAX + 1) - PPM_MAX;
  const kind = 'drift';
  const ofClients = clientsOf(schedule).map((client): Fault => ({ kind, client, ppm: ppm() }));
  const ofNodes = Array.from({ length: nodes }, (_, n): Fault => {
    return { kind, nodes: 1 << n, ppm: ppm() };
  });
  return [...ofClients, ...ofNodes];
}

/** It dies, stands still, or is cut off, whatever the lock bears, while it holds. */
function faultAgainst(client: string, schedule: Schedule, subject: Subject, source: Random): Fault {
  const when = { before: 'sleep', n: 1, by: client };
  const ms = FAULT_TTLS * schedule.ttlMs;
  const nodes = 2 ** schedule.nodes - 1;
  const blows: Fault[] = [{ kind: 'holder-crash', client, when }];
  if (toleratesDrift(subject)) blows.push({ kind: 'pause', client, when, ms });
  if (toleratesDrift(subject) && subject.nodes > 0)
    blows.push({ kind: 'client-cut', client, nodes, when, ms, way: 'both' });
  return blows[source.below(blows.length)] ?? { kind: 'holder-crash', client, when };
}
