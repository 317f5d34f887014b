import { redactText } from 'holdfast/internal';
import type { Column } from '../draw/index.ts';
import { isControl } from '../locks/index.ts';
import { rowName } from '../matrix/index.ts';
import type { RunHead } from './format-safety.ts';
import { inOrder } from './in-order.ts';
import { failedComparedCell } from './judge-compared-cell.ts';
import type { Cell, Figure, ReportRow, Run } from './report.ts';

/** Hears of a comparison while it goes on. */
export interface ComparisonListener {
  step(text: string): void;
  /** Known before anything is tried. */
  head(head: RunHead): void;
  row(head: RunHead, row: ReportRow, cells: readonly Cell[]): void;
  /** Everything is known now. */
  end(run: Run): void;
}

/** Plays a stage row by row, so that the first row is there soon, then asks what it all cost. */
export async function runComparison(
  stage: ComparisonRunner,
  audience: ComparisonListener,
): Promise<Run> {
  const fromMs = performance.now();
  const { head } = stage;
  audience.head(head);
  const safety = await safetyOf(stage, audience);
  const cost = await costOf(stage, audience);
  const run = { ...head, safety, cost, tookMs: Math.round(performance.now() - fromMs) };
  audience.end(run);
  return run;
}

async function safetyOf(
  stage: ComparisonRunner,
  audience: ComparisonListener,
): Promise<readonly Cell[]> {
  const { head, jobs = 1 } = stage;
  const tasks = head.rows.flatMap((row) =>
    head.columns.map((column) => () => cellOf(stage, row, column, audience)),
  );
  const safety: Cell[] = [];
  await inOrder(tasks, jobs, (cell) => {
    safety.push(cell);
    const row = head.rows[safety.length / head.columns.length - 1];
    if (row !== undefined) audience.row(head, row, safety.slice(-head.columns.length));
  });
  return safety;
}

async function costOf(
  stage: ComparisonRunner,
  audience: ComparisonListener,
): Promise<readonly Figure[]> {
  const { head, jobs = 1 } = stage;
  const cost: Figure[] = [];
  const tasks = head.columns.map((column) => () => {
    if (!isControl(column.id)) audience.step(`${head.servers}: cost on ${column.id}`);
    return stage.figures(column);
  });
  await inOrder(tasks, jobs, (figures) => void cost.push(...figures));
  return cost;
}

async function cellOf(
  ...[stage, row, column, audience]: [ComparisonRunner, ReportRow, Column, ComparisonListener]
): Promise<Cell> {
  const untried = stage.inapplicableCell(row, column);
  if (untried !== undefined) return untried;
  audience.step(`${stage.head.servers}: ${rowName(row)} on ${column.id}`);
  return await runCell(stage, row, column);
}

/** One cell that goes wrong is no reason to lose the others; it is told, and counts as unexpected. */
async function runCell(stage: ComparisonRunner, row: ReportRow, column: Column): Promise<Cell> {
  try {
    return await stage.runCell(row, column);
  } catch (error) {
    const why = redactText(error instanceof Error ? error.message : String(error));
    return failedComparedCell({ how: stage.head.how, ...row, column: column.id }, why);
  }
}

/** Where a comparison is played: the simulator, or real servers. */
export interface ComparisonRunner {
  readonly head: RunHead;
  /** How many cells, or figures, it is worth asking for at once; 1 by default. */
  readonly jobs?: number;
  /** The cell of a fault that cannot matter there, or cannot be tried; undefined where it has to be. */
  inapplicableCell(row: ReportRow, column: Column): Cell | undefined;
  /** Tries one fault on one column. */
  runCell(row: ReportRow, column: Column): Promise<Cell>;
  /** The part Cost of one column; the control has none. */
  figures(column: Column): Promise<readonly Figure[]>;
  /** Resolves to what could not be removed, a sentence each. */
  close(): Promise<readonly string[]>;
}
