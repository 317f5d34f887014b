import { redactText } from 'holdfast/internal';
import type { Column } from '../draw/index.ts';
import { isControl } from '../locks/index.ts';
import { rowName } from '../matrix/index.ts';
import type { RunHead } from './format-safety.ts';
import { inOrder } from './in-order.ts';
import { failedComparedCell } from './judge-compared-cell.ts';
import type { Cell, ComparedRun, Figure, ReportRow } from './report.ts';

/** Listens to the progress of a comparison. */
export interface ComparisonListener {
  step(text: string): void;
  /** Called before the first cell. */
  head(head: RunHead): void;
  row(head: RunHead, row: ReportRow, cells: readonly Cell[]): void;
  /** Called with the complete run. */
  end(run: ComparedRun): void;
}

/** Runs a comparison row by row, so that the first row is ready soon, then measures the costs. */
export async function runComparison(
  runner: ComparisonRunner,
  listener: ComparisonListener,
): Promise<ComparedRun> {
  const fromMs = performance.now();
  const { head } = runner;
  listener.head(head);
  const safety = await safetyOf(runner, listener);
  const cost = await costOf(runner, listener);
  const run = { ...head, safety, cost, tookMs: Math.round(performance.now() - fromMs) };
  listener.end(run);
  return run;
}

async function safetyOf(
  runner: ComparisonRunner,
  listener: ComparisonListener,
): Promise<readonly Cell[]> {
  const { head, jobs = 1 } = runner;
  const tasks = head.rows.flatMap((row) =>
    head.columns.map((column) => () => cellOf(runner, row, column, listener)),
  );
  const safety: Cell[] = [];
  await inOrder(tasks, jobs, (cell) => {
    safety.push(cell);
    const row = head.rows[safety.length / head.columns.length - 1];
    if (row !== undefined) listener.row(head, row, safety.slice(-head.columns.length));
  });
  return safety;
}

async function costOf(
  runner: ComparisonRunner,
  listener: ComparisonListener,
): Promise<readonly Figure[]> {
  const { head, jobs = 1 } = runner;
  const cost: Figure[] = [];
  const tasks = head.columns.map((column) => () => {
    if (!isControl(column.id)) listener.step(`${head.servers}: cost on ${column.id}`);
    return runner.figures(column);
  });
  await inOrder(tasks, jobs, (figures) => void cost.push(...figures));
  return cost;
}

async function cellOf(
  ...[runner, row, column, listener]: [ComparisonRunner, ReportRow, Column, ComparisonListener]
): Promise<Cell> {
  const untried = runner.inapplicableCell(row, column);
  if (untried !== undefined) return untried;
  listener.step(`${runner.head.servers}: ${rowName(row)} on ${column.id}`);
  return await runCell(runner, row, column);
}

/** Turns an error into a cell that counts as unexpected, so that the other cells are kept. */
async function runCell(runner: ComparisonRunner, row: ReportRow, column: Column): Promise<Cell> {
  try {
    return await runner.runCell(row, column);
  } catch (error) {
    const why = redactText(error instanceof Error ? error.message : String(error));
    return failedComparedCell({ how: runner.head.how, ...row, column: column.id }, why);
  }
}

/** Runs a comparison in the simulator or on real servers. */
export interface ComparisonRunner {
  readonly head: RunHead;
  /** The number of cells, or figures, to run at once; 1 by default. */
  readonly jobs?: number;
  /** The cell of a fault that cannot matter there, or cannot be tested; undefined if it has to run. */
  inapplicableCell(row: ReportRow, column: Column): Cell | undefined;
  /** Runs one fault on one column. */
  runCell(row: ReportRow, column: Column): Promise<Cell>;
  /** Measures the costs of one column; the control has none. */
  figures(column: Column): Promise<readonly Figure[]>;
  /** Resolves to the leftovers that could not be removed, one sentence each. */
  close(): Promise<readonly string[]>;
}
