import type { Column } from '../draw/index.ts';
import { counterpartOf } from '../locks/index.ts';
import { type CellResult, cellIn, rowName, runCell } from '../matrix/index.ts';
import type { Schedule, Subject } from '../simulator/index.ts';
import { matrixRow } from './expectation.ts';
import { type CellContext, judgeComparedCell } from './judge-compared-cell.ts';
import type { Cell, ReportRow } from './report.ts';
import { simulatedEvidence } from './simulated-evidence.ts';

export interface ExploreOptions {
  readonly seed: number;
  readonly budget: number;
  /** Up to this many budgets, until it breaks; 1 by default. */
  readonly budgetsMax?: number;
}

/** Runs a cell without an expectation; its outcome is what was found. */
export async function exploreCell(
  subject: Subject,
  row: ReportRow,
  { seed, budget, budgetsMax = 1 }: ExploreOptions,
  onPlay?: (schedule: Schedule) => void,
): Promise<Cell> {
  const played = matrixRow(row);
  if (played === undefined) throw new Error(`the matrix has no row ${rowName(row)}`);
  const trial = await runCell(subject, played, {
    seed,
    budget: budget * budgetsMax,
    ...(onPlay === undefined ? {} : { onPlay }),
    shouldStop: (sofar) => sofar.tally.schedules >= budget && isBroken(sofar),
  });
  const place: CellContext = { how: 'simulated', ...row, column: subject.name };
  const evidence = await simulatedEvidence(trial, subject);
  // As large a share as the fault itself causes for a built-in lock on such servers.
  const stuckMax = cellIn(played, counterpartOf(subject)).stuck;
  const isStuck = evidence.stuck > evidence.trials * stuckMax;
  const cell = judgeComparedCell(place, evidence, { accepted: 0, stuck: isStuck ? 1 : stuckMax });
  // A client that waits forever is a broken promise, too.
  return { ...cell, unexpected: false, ...(isStuck ? { outcome: 'breaks' } : {}) };
}

function isBroken({ tally: { violated } }: CellResult): boolean {
  return (violated['validity'] ?? 0) + (violated['liveness'] ?? 0) > 0;
}

/** A column without a place in the matrix: an external lock, or a built-in one on another number of servers. */
export interface ExtraSource {
  readonly column: Column;
  /** The column of the matrix that decides which faults can be tested on it. */
  readonly counterpart: string;
  readonly note: string;
  /** The cell of a fault that cannot matter there; undefined if it has to be tested. */
  inapplicableCell(row: ReportRow): Cell | undefined;
  runCell(row: ReportRow, effort: ExploreOptions): Promise<Cell>;
  close(): Promise<void>;
}

/** @throws ConfigError for an unknown lock, one that does not say what it needs, or one that fails without faults */
export type OpenExtraSource = (lock: string) => Promise<ExtraSource>;
