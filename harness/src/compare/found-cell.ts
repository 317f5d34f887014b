import { counterpartOf } from '../locks/index.ts';
import { cellIn, rowName, type Trial, tryCell } from '../matrix/index.ts';
import type { Schedule, Subject } from '../simulator/index.ts';
import { matrixRow } from './expected.ts';
import { judgeCell, type Place } from './judge-cell.ts';
import type { Cell, ReportRow } from './report.ts';
import { simulatedEvidence } from './simulated-evidence.ts';

export interface FoundEffort {
  readonly seed: number;
  readonly budget: number;
  /** Up to this many budgets, until it breaks; 1 by default. */
  readonly budgetsMax?: number;
}

/** A cell of which nothing is expected: it says what was found. */
export async function foundCell(
  subject: Subject,
  row: ReportRow,
  { seed, budget, budgetsMax = 1 }: FoundEffort,
  onPlay?: (schedule: Schedule) => void,
): Promise<Cell> {
  const played = matrixRow(row);
  if (played === undefined) throw new Error(`the matrix has no row ${rowName(row)}`);
  const trial = await tryCell(subject, played, {
    seed,
    budget: budget * budgetsMax,
    ...(onPlay === undefined ? {} : { onPlay }),
    enough: (sofar) => sofar.tally.schedules >= budget && isBroken(sofar),
  });
  const place: Place = { how: 'simulated', ...row, column: subject.name };
  const evidence = await simulatedEvidence(trial, subject);
  // As much as the fault itself brings about for a lock of ours on such servers.
  const stuckMax = cellIn(played, counterpartOf(subject)).stuck;
  const isStuck = evidence.stuck > evidence.trials * stuckMax;
  const cell = judgeCell(place, evidence, { accepted: 0, stuck: isStuck ? 1 : stuckMax });
  // A client that waits for ever has not got what a lock promises either.
  return { ...cell, unexpected: false, ...(isStuck ? { outcome: 'breaks' } : {}) };
}

function isBroken({ tally: { violated } }: Trial): boolean {
  return (violated['validity'] ?? 0) + (violated['liveness'] ?? 0) > 0;
}
