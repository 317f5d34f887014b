import {
  batchOf,
  type Fault,
  type Op,
  type Schedule,
  type Setup,
  schedulesFor,
} from '@holdfast/harness/simulator';
import type { Arbitrary } from 'fast-check';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { cellIn, loadMatrix, type Row, rowName, TARGET_OF } from '../../harness/test/kit/matrix.ts';
import { setupOf, type TargetProperty } from '../../harness/test/kit/search.ts';
import { LIVENESS, VALIDITY } from '../broken/mutant.ts';
import { LATE_UNDO } from '../broken/mutants/late-undo.ts';

/** Schedules of one kind, and what the right lock keeps in all of them. */
export interface ScheduleSet {
  readonly name: string;
  readonly schedules: readonly Schedule[];
  readonly wanted: readonly TargetProperty[];
}

/** Every trial is played up to here before any continues: the first few schedules of one kill most mutants. */
export const FIRST = 2;
const EACH = 8;
const SEED = 7;

/** Long leases show what is wrong with a small share of them, and leases that are renewed what renewal gets wrong. */
const CHANGES: readonly (readonly [string, ScheduleChange])[] = [
  ['leases renewed', { allRenew: true, holdsTimes: 2 }],
  ['long leases', { ttlTimes: 10, holdsTimes: 2, faultMsMax: 800 }],
];
/** Faults that each change is played with: the correct lock withstands it there, and some mistake shows. */
const CHANGED_FAULTS = new Set([
  'none',
  'delay',
  'drift',
  'client-cut',
  'lost-reply',
  'client-clock',
]);

/** Returns the schedules that a lock is tested with: every row of the matrix for the claims that hold there, and liveness after it. */
export function scheduleSetsOf(name: string): readonly ScheduleSet[] {
  return [
    ...loadMatrix().rows.flatMap((row) => scheduleSetsOfRow(name, row)),
    ...(name === 'redlock' ? [among('late undo', LATE_UNDO)] : []),
  ];
}

function scheduleSetsOfRow(name: string, row: Row): readonly ScheduleSet[] {
  const cell = name === 'no-lock' ? undefined : cellIn(row, name);
  if (cell === undefined) return [];
  const claims = Object.entries(cell.claims);
  const kept = claims.flatMap(([claimed, { expect }]) =>
    expect === 'holds' && isClaimed(claimed) ? [TARGET_OF[claimed]] : [],
  );
  if (claims.every(([, { expect }]) => expect === 'n/a' || expect === 'inert')) return [];
  const { fault, setup } = row;
  const schedules = (more: Partial<Setup> = {}): Arbitrary<Schedule> =>
    schedulesFor([fault], setupOf({ subject: subjectOf(name), setup: { ...setup, ...more } }));
  // The change, or a permanent fault, may make a holder late, which is no mistake of the lock.
  const sound = kept.filter(({ property }) => property !== 'belief');
  const after = cell.stuck > 0 ? [] : [[...sound, LIVENESS] as const];
  const changes = CHANGED_FAULTS.has(fault) && setup.variation !== 'beyond' ? CHANGES : [];
  return [
    { name: rowName(row), schedules: sample(schedules()), wanted: kept },
    ...after.map((wanted) => ({
      name: `after ${rowName(row)}`,
      schedules: sample(schedules({ aftermath: true })),
      wanted,
    })),
    ...changes.map(([how, change]) => ({
      name: `${rowName(row)}, ${how}`,
      schedules: sample(schedules().map((schedule) => changed(schedule, change))),
      wanted: sound,
    })),
  ];
}

function among(name: string, schedules: Arbitrary<Schedule>): ScheduleSet {
  return { name, schedules: sample(schedules), wanted: [VALIDITY] };
}

function sample(schedules: Arbitrary<Schedule>): readonly Schedule[] {
  return batchOf(schedules, SEED, 0).slice(0, EACH);
}

function isClaimed(claimed: string): claimed is keyof typeof TARGET_OF {
  return claimed in TARGET_OF;
}

/** A change of every schedule that a generator makes. */
interface ScheduleChange {
  /** Factor on the length of all operations, so that leases expire; 1 by default. */
  readonly holdsTimes?: number;
  /** Factor on leases, operations and the time between them; 1 by default. */
  readonly ttlTimes?: number;
  /** True if all leases are renewed. */
  readonly allRenew?: boolean;
  /** Upper limit of the length of a fault. */
  readonly faultMsMax?: number;
}

/** Returns the schedule, changed so that it shows more mistakes. */
function changed(schedule: Schedule, change: ScheduleChange): Schedule {
  const { ttlTimes = 1 } = change;
  return {
    ...schedule,
    ttlMs: schedule.ttlMs * ttlTimes,
    ops: schedule.ops.map((op) => changedOp(op, change)),
    faults: schedule.faults.map((fault) => changedFault(fault, change)),
  };
}

function changedOp(op: Op, { holdsTimes = 1, ttlTimes = 1, allRenew = false }: ScheduleChange): Op {
  const holdMs = Math.round(op.holdMs * holdsTimes * ttlTimes);
  return { ...op, atMs: op.atMs * ttlTimes, holdMs, renews: op.renews || allRenew };
}

function changedFault(fault: Fault, { faultMsMax }: ScheduleChange): Fault {
  if (faultMsMax === undefined || !('ms' in fault)) return fault;
  return { ...fault, ms: fault.ms % faultMsMax };
}
