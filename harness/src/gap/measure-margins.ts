import { judgeEarlyGrant, leaseMarginsOf } from '../check/index.ts';
import { LOCKS, type LockUnderTest, lockNamed } from '../locks/index.ts';
import { cellIn, type Matrix, type Row } from '../matrix/index.ts';
import { playGuarded, setupOf } from '../search/index.ts';
import {
  BATCH,
  batchOf,
  random,
  type Schedule,
  type Subject,
  schedulesFor,
} from '../simulator/index.ts';
import { stressSchedule } from './stress-schedule.ts';

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
