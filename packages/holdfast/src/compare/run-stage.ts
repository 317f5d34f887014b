import { redactText } from '../config/redact.ts';
import { rowName } from '../matrix/index.ts';
import type { RunHead } from './format-safety.ts';
import { failedCell } from './judge-cell.ts';
import type { Column } from './notation.ts';
import type { Cell, Figure, ReportRow, Run } from './report.ts';
import type { Stage } from './stage.ts';

/** Hears of a comparison while it goes on. */
export interface Audience {
  step(text: string): void;
  /** Known before anything is tried. */
  head(head: RunHead): void;
  row(head: RunHead, row: ReportRow, cells: readonly Cell[]): void;
  /** Everything is known now. */
  end(run: Run): void;
}

/** Plays a stage row by row, so that the first row is there soon, then asks what it all cost. */
export async function runStage(stage: Stage, audience: Audience): Promise<Run> {
  const fromMs = performance.now();
  const { head } = stage;
  audience.head(head);
  const safety: Cell[] = [];
  for (const row of head.rows) {
    const cells = await cellsOf(stage, row, audience);
    audience.row(head, row, cells);
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

async function cellsOf(stage: Stage, row: ReportRow, audience: Audience): Promise<readonly Cell[]> {
  const { head } = stage;
  const cells: Cell[] = [];
  for (const column of head.columns) {
    const untried = stage.untried(row, column);
    if (untried === undefined) audience.step(`${head.servers}: ${rowName(row)} on ${column.id}`);
    cells.push(untried ?? (await tried(stage, row, column)));
  }
  return cells;
}

/** One cell that goes wrong is no reason to lose the others; it is told, and counts as unexpected. */
async function tried(stage: Stage, row: ReportRow, column: Column): Promise<Cell> {
  try {
    return await stage.cell(row, column);
  } catch (error) {
    const why = redactText(error instanceof Error ? error.message : String(error));
    return failedCell({ how: stage.head.how, ...row, column: column.id }, why);
  }
}
