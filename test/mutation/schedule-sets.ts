import { batchOf, type Schedule, type Setup, schedulesFor } from '@holdfast/harness/simulator';
import type { Arbitrary } from 'fast-check';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { cellIn, loadMatrix, type Row, rowName, TARGET_OF } from '../../harness/test/kit/matrix.ts';
import { setupOf, type TargetProperty } from '../../harness/test/kit/search.ts';
import { LIVENESS, VALIDITY } from '../broken/mutant.ts';
import { LATE_UNDO } from '../broken/mutants/late-undo.ts';
import { type Bend, bend } from './bend.ts';

/** Schedules of one kind, and what the right lock keeps in all of them. */
export interface ScheduleSet {
  readonly name: string;
  readonly schedules: readonly Schedule[];
  readonly wanted: readonly TargetProperty[];
}

/** Every trial is played up to here before any goes on: most mutants are killed by the first few schedules of one. */
export const FIRST = 2;
const EACH = 8;
const SEED = 7;

/** Long leases show what is wrong with a small share of them, and leases that are renewed what renewal gets wrong. */
const BENDS: readonly (readonly [string, Bend])[] = [
  ['leases renewed', { allRenew: true, holdsTimes: 2 }],
  ['long leases', { ttlTimes: 10, holdsTimes: 2, faultMsMax: 800 }],
];
/** What each bend is worth playing with: the right lock withstands it there, and somebody’s mistake shows. */
const BENT_FAULTS = new Set(['none', 'delay', 'drift', 'client-cut', 'lost-reply', 'client-clock']);

/** What a lock is tried by: every row of the matrix for whatever holds there, with liveness demanded afterwards. */
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
  // A holder may be late by what is bent, or broken for good, which is no fault of the lock.
  const sound = kept.filter(({ property }) => property !== 'belief');
  const after = cell.stuck > 0 ? [] : [[...sound, LIVENESS] as const];
  const bends = BENT_FAULTS.has(fault) && setup.variation !== 'beyond' ? BENDS : [];
  return [
    { name: rowName(row), schedules: sample(schedules()), wanted: kept },
    ...after.map((wanted) => ({
      name: `after ${rowName(row)}`,
      schedules: sample(schedules({ aftermath: true })),
      wanted,
    })),
    ...bends.map(([how, by]) => ({
      name: `${rowName(row)}, ${how}`,
      schedules: sample(schedules().map((schedule) => bend(schedule, by))),
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
