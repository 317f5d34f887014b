import type { FaultId } from '@holdfast/core';
import type { RunHead } from './format-safety.ts';
import type { Column } from './notation.ts';
import type { Cell, Figure } from './report.ts';

/** Where a comparison is played: the simulator, or real servers. */
export interface Stage {
  readonly head: RunHead;
  /** Tries one fault on one column. */
  cell(fault: FaultId, column: Column): Promise<Cell>;
  /** The part Cost of one column; the control has none. */
  figures(column: Column): Promise<readonly Figure[]>;
  close(): Promise<void>;
}
