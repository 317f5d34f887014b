import type { Column } from '../draw/index.ts';
import type { ExploreOptions } from './explore-cell.ts';
import type { Cell, ReportRow } from './report.ts';

/** A column that the matrix does not have: a lock from outside, or one of ours on another number of servers. */
export interface ExtraSource {
  readonly column: Column;
  /** The column of the matrix that says which faults can be tried on it. */
  readonly counterpart: string;
  readonly note: string;
  /** The cell of a fault that cannot matter there; undefined where it has to be tried. */
  inapplicableCell(row: ReportRow): Cell | undefined;
  runCell(row: ReportRow, effort: ExploreOptions): Promise<Cell>;
  close(): Promise<void>;
}

/** @throws ConfigError for a lock that is not there, does not say what it needs, or does not work undisturbed */
export type OpenExtraSource = (lock: string) => Promise<ExtraSource>;
