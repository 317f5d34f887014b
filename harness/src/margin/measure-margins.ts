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

/**
 * The safety margins of leases: from the holder's knowledge of the end to the first grant that the servers could
 * make.
 */
export interface LeaseMargins {
  readonly schedules: number;
  /** The margin of each lease that expired on the servers, in ms, the smallest first. */
  readonly ranOut: readonly number[];
  /** Number of leases that a request ended earlier: the holder released what it had lost. */
  readonly endedEarly: number;
  readonly ttlMs: number;
  /** Leases that the servers could grant to another client before the holder knew of the end. */
  readonly violations: readonly EarlyGrant[];
}

export interface EarlyGrant {
  readonly message: string;
  readonly schedule: Schedule;
}

export interface MarginOptions {
  /** Schedules per lock, divided among the faults. */
  readonly budget: number;
  readonly seed: number;
}

/** The options of `docs/evidence/safety-margin.md`. */
export const MARGIN_DEFAULTS: MarginOptions = { budget: 500, seed: 1 };

/** True if no lease was violated, or the lock does not promise it. */
export function hasNoEarlyGrant({
  lock,
  measured,
}: {
  lock: string;
  measured: LeaseMargins;
}): boolean {
  return measured.violations.length === 0 || marginOf(lock)?.isPromised === false;
}

/** Measures one lock under every fault under which, by the matrix, it keeps mutual exclusion. */
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
    for (const { how, marginMs } of leaseMarginsOf(history, keyFreed))
      if (how === 'expired') ranOut.push(marginMs);
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

/** Returns the rows of the matrix in which leases of a lock can be relied on. */
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
  // One ttl for all, since margins are compared with each other; every clock drifts here anyway.
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

/** Two clocks that err in opposite directions then differ by one in a hundred, which leases declare to tolerate. */
const PPM_MAX = 5_000;
/** Of the ttl: long enough for any lease of the holder to run out. */
const FAULT_TTLS = 3;

/** True if leases of a lock declare to tolerate different clock rates; where client clocks decide, none does. */
function toleratesDrift({ renews }: Subject): boolean {
  return renews;
}

/**
 * Adds to a schedule the declared error of every clock, work that outlasts the lease, and one holder that cannot
 * release. The servers alone then decide how much time passes from the end of its lease to the next grant.
 */
function stressSchedule(schedule: Schedule, subject: Subject, source: Random): Schedule {
  const clients = clientsOf(schedule);
  const target = clients[source.below(clients.length)] ?? 'a';
  const drifts = toleratesDrift(subject) ? driftsOf(schedule, subject, source) : [];
  const ops = toleratesDrift(subject)
    ? schedule.ops.map((op) => ({ ...op, holdMs: op.holdMs + schedule.ttlMs }))
    : schedule.ops;
  const faults = [...schedule.faults, ...drifts, faultAgainst(target, schedule, subject, source)];
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

/** Crashes the holder, pauses it or cuts it off, if the lock tolerates that, while it holds. */
function faultAgainst(client: string, schedule: Schedule, subject: Subject, source: Random): Fault {
  const when = { before: 'sleep', n: 1, by: client };
  const ms = FAULT_TTLS * schedule.ttlMs;
  const nodes = 2 ** schedule.nodes - 1;
  const faults: Fault[] = [{ kind: 'holder-crash', client, when }];
  if (toleratesDrift(subject)) faults.push({ kind: 'pause', client, when, ms });
  if (toleratesDrift(subject) && subject.nodes > 0)
    faults.push({ kind: 'client-cut', client, nodes, when, ms, way: 'both' });
  return faults[source.below(faults.length)] ?? { kind: 'holder-crash', client, when };
}
