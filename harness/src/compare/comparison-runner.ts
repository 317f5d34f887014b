import type { Column } from '../draw/index.ts';
import type { RunHead } from './format-safety.ts';
import type { Cell, Figure, ReportRow } from './report.ts';

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
