import type { Subject } from '@holdfast/sim';
import { counterpartOf } from '../locks/index.ts';
import { cellIn, type Row, type Trial, tryCell } from '../matrix/index.ts';
import { judgeCell, type Place } from './judge-cell.ts';
import type { Cell } from './report.ts';
import { simulatedEvidence } from './simulated-evidence.ts';

export interface FindEffort {
  readonly seed: number;
  readonly budget: number;
  /** Up to this many budgets, until it breaks; 1 by default. */
  readonly budgetsMax?: number;
}

/** A cell of which nothing is expected: it says what was found. */
export async function foundCell(
  subject: Subject,
  row: Row,
  { seed, budget, budgetsMax = 1 }: FindEffort,
): Promise<Cell> {
  const trial = await tryCell(subject, row, {
    seed,
    budget: budget * budgetsMax,
    enough: (sofar) => sofar.tally.schedules >= budget && isBroken(sofar),
  });
  const { fault, variant } = row;
  const place: Place = {
    how: 'simulated',
    fault,
    ...(variant === undefined ? {} : { variant }),
    column: subject.name,
  };
  const evidence = await simulatedEvidence(trial, subject);
  // As much as the fault itself brings about for a lock of ours on such servers.
  const stuckMax = cellIn(row, counterpartOf(subject)).stuck;
  const isStuck = evidence.stuck > evidence.trials * stuckMax;
  const cell = judgeCell(place, evidence, { accepted: 0, stuck: isStuck ? 1 : stuckMax });
  // A client that waits for ever has not got what a lock promises either.
  return { ...cell, unexpected: false, ...(isStuck ? { outcome: 'breaks' } : {}) };
}

function isBroken({ tally: { violated } }: Trial): boolean {
  return (violated['validity'] ?? 0) + (violated['liveness'] ?? 0) > 0;
}
