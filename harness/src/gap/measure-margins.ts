import { judgeEarlyGrant, leaseMarginsOf } from '../check/index.ts';
import { LOCKS, type LockUnderTest, lockNamed } from '../locks/index.ts';
import { cellIn, type Matrix, type Row } from '../matrix/index.ts';
import { playGuarded, setupOf } from '../search/index.ts';
import {
  BATCH,
  batchOf,
  clientsOf,
  type Fault,
  type Random,
  random,
  type Schedule,
  type Subject,
  schedulesFor,
} from '../simulator/index.ts';

/** The names of the locks whose leases are measured. */
export const MEASURED: readonly string[] = LOCKS.flatMap(({ name, margin }) =>
  margin === undefined ? [] : name,
);

/** How many leases ended with how much left between what the holder knew and what the servers could do. */
export interface LeaseMargins {
  readonly schedules: number;
  /** Of each lease whose time ran out on the servers, in ms, the smallest first. */
  readonly ranOut: readonly number[];
  /** How many ended sooner there, because somebody took them away: the holder gave back what it had lost. */
  readonly endedEarly: number;
  readonly ttlMs: number;
  /** Where the servers could grant another before the holder knew. */
  readonly violations: readonly EarlyGrant[];
}

export interface EarlyGrant {
  readonly message: string;
  readonly schedule: Schedule;
}

export interface MarginOptions {
  /** Schedules a lock, shared out among the faults. */
  readonly budget: number;
  readonly seed: number;
}

/** What `docs/evidence/safety-margin.md` shows. */
export const MARGIN_DEFAULTS: MarginOptions = { budget: 500, seed: 1 };

/** Whether the servers were never first; of a lock that promises it. */
export function hasNoEarlyGrant({ lock, gaps }: { lock: string; gaps: LeaseMargins }): boolean {
  return gaps.violations.length === 0 || marginOf(lock)?.isPromised === false;
}

/** Measures one lock under every fault that, by the matrix, it keeps mutual exclusion under. */
export async function measureMargins(
  subject: Subject,
  rows: readonly Row[],
  { budget, seed }: MarginOptions,
): Promise<LeaseMargins> {
  const ranOut: number[] = [];
  const violations: EarlyGrant[] = [];
  let [schedules, endedEarly, ttlMs] = [0, 0, 0];
  for (const schedule of schedulesOf(subject, rows, { budget, seed })) {
    const { history, keyFreed = [] } = await playGuarded(schedule, subject, {
      recordsKeyFreed: true,
    });
    schedules++;
    ({ ttlMs } = schedule);
    const verdict = judgeEarlyGrant(history, keyFreed);
    if (verdict.kind !== 'ok') violations.push({ message: verdict.message, schedule });
    for (const { how, gapMs } of leaseMarginsOf(history, keyFreed))
      if (how === 'expired') ranOut.push(gapMs);
      else endedEarly++;
  }
  return {
    schedules,
    ranOut: ranOut.toSorted((a, b) => a - b),
    endedEarly,
    ttlMs,
    violations,
  };
}

function isKept(lock: string, { fault, variant, setup }: Row): boolean {
  // One lease throughout: none runs out.
  if (setup.variation === 'rolling') return false;
  const only = marginOf(lock)?.only;
  if (only?.fault === fault && only.variant !== variant) return false;
  return setup.variation !== 'beyond';
}

function marginOf(lock: string): LockUnderTest['margin'] {
  return lockNamed(lock)?.margin;
}

/** The rows of the matrix in which leases of a lock are to be relied on. */
export function rowsFor(column: string, { rows }: Matrix): readonly Row[] {
  return rows.filter(
    (row) => cellIn(row, column).claims.validity.expect === 'holds' && isKept(column, row),
  );
}

function* schedulesOf(
  subject: Subject,
  rows: readonly Row[],
  { budget, seed }: MarginOptions,
): Generator<Schedule> {
  const each = Math.ceil(budget / rows.length);
  // Of one ttl, since what is left of it is set beside each other; every clock drifts here anyway.
  for (const {
    fault,
    setup: { ttlTimes: _, ...setup },
    variant = '',
  } of rows) {
    const schedules = schedulesFor([fault], setupOf({ subject, setup }));
    const source = random(`gap/${seed}/${fault}/${variant}`);
    for (let n = 0; n < each; n += BATCH)
      for (const schedule of batchOf(schedules, seed, n / BATCH).slice(0, each - n))
        yield stressSchedule(schedule, subject, source);
  }
}

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
