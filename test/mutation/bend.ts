import type { Fault, Op, Schedule } from '@holdfast/harness/simulator';

/** What is made different in every schedule that comes out of a generator. */
export interface Bend {
  /** Makes all operations so many times as long, so that leases come to their end; 1 by default. */
  readonly holdsTimes?: number;
  /** Makes leases, operations and the time between them so many times as long; 1 by default. */
  readonly ttlTimes?: number;
  /** Whether all leases are renewed. */
  readonly allRenew?: boolean;
  /** Faults last less than this. */
  readonly faultMsMax?: number;
}

/** The schedule, bent towards where a mistake shows. */
export function bend(schedule: Schedule, bent: Bend): Schedule {
  const { ttlTimes = 1 } = bent;
  return {
    ...schedule,
    ttlMs: schedule.ttlMs * ttlTimes,
    ops: schedule.ops.map((op) => bendOp(op, bent)),
    faults: schedule.faults.map((fault) => bendFault(fault, bent)),
  };
}

function bendOp(op: Op, { holdsTimes = 1, ttlTimes = 1, allRenew = false }: Bend): Op {
  const holdMs = Math.round(op.holdMs * holdsTimes * ttlTimes);
  return { ...op, atMs: op.atMs * ttlTimes, holdMs, renews: op.renews || allRenew };
}

function bendFault(fault: Fault, { faultMsMax }: Bend): Fault {
  if (faultMsMax === undefined || !('ms' in fault)) return fault;
  return { ...fault, ms: fault.ms % faultMsMax };
}
