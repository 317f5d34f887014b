import type { FaultId } from '@holdfast/core';
import { redactText } from '../config/redact.ts';
import type { RunHead } from './format-safety.ts';
import { failedCell, untriedCell } from './judge-cell.ts';
import type { Column } from './notation.ts';
import type { Cell, Figure, Run } from './report.ts';
import type { Stage } from './stage.ts';

/** Hears of a comparison while it goes on. */
export interface Audience {
  step(text: string): void;
  /** Known before anything is tried. */
  head(head: RunHead): void;
  row(fault: FaultId, cells: readonly Cell[]): void;
  /** Everything is known now. */
  end(run: Run): void;
}

/** Plays a stage row by row, so that the first row is there soon, then asks what it all cost. */
export async function runStage(stage: Stage, audience: Audience): Promise<Run> {
  const fromMs = performance.now();
  const { head } = stage;
  audience.head(head);
  const safety: Cell[] = [];
  for (const fault of head.faults) {
    const cells = await row(stage, fault, audience);
    audience.row(fault, cells);
    safety.push(...cells);
  }
  const cost: Figure[] = [];
  for (const column of head.columns) {
    if (column.id !== 'no-lock') audience.step(`${head.servers}: cost on ${column.id}`);
    cost.push(...(await stage.figures(column)));
  }
  const run = { ...head, safety, cost, tookMs: Math.round(performance.now() - fromMs) };
  audience.end(run);
  return run;
}

async function row(stage: Stage, fault: FaultId, audience: Audience): Promise<readonly Cell[]> {
  const { head } = stage;
  const cells: Cell[] = [];
  for (const column of head.columns) {
    const untried = untriedCell({ how: head.how, fault, column: column.id });
    if (untried === undefined) audience.step(`${head.servers}: ${fault} on ${column.id}`);
    cells.push(untried ?? (await tried(stage, fault, column)));
  }
  return cells;
}

/** One cell that goes wrong is no reason to lose the others; it is told, and counts as unexpected. */
async function tried(stage: Stage, fault: FaultId, column: Column): Promise<Cell> {
  try {
    return await stage.cell(fault, column);
  } catch (error) {
    const why = redactText(error instanceof Error ? error.message : String(error));
    return failedCell({ how: stage.head.how, fault, column: column.id }, why);
  }
}
