import {
  CLAIMED,
  isTried,
  loadMatrix,
  type MatrixColumn,
  provesNothing,
  type Row,
  rowName,
  subjectOf,
  type Trial,
  tryCell,
  violatedIn,
} from '../matrix/index.ts';
import { embeddedCost } from './embedded-cost.ts';
import { type EmbeddedSettings, embeddedHead } from './embedded-head.ts';
import { matrixRow } from './expected.ts';
import type { RunHead } from './format-safety.ts';
import { judgeCell, untriedCell } from './judge-cell.ts';
import type { Column } from './notation.ts';
import type { Cell, Figure, ReportRow } from './report.ts';
import { simulatedEvidence } from './simulated-evidence.ts';
import { simulatedTakeover } from './simulated-takeover.ts';
import type { Stage } from './stage.ts';

/** Where a lock must break and has not yet, or nothing is proved yet, up to this many budgets are spent. */
const BUDGETS_MAX = 20;

/** The simulator: needs no server, and plays the whole matrix. */
export class EmbeddedStage implements Stage {
  readonly head: RunHead;
  readonly #settings: EmbeddedSettings;

  constructor(settings: EmbeddedSettings) {
    this.#settings = settings;
    this.head = embeddedHead(settings, loadMatrix());
  }

  untried(row: ReportRow, { id }: Column): Cell | undefined {
    return untriedCell({ how: 'simulated', ...row, column: id });
  }

  async cell(row: ReportRow, { id }: Column): Promise<Cell> {
    const played = matrixRow(row);
    if (played === undefined) throw new Error(`the matrix has no row ${rowName(row)}`);
    const column = columnOf(id);
    const trial = await this.#trial(played, column);
    const evidence = await simulatedEvidence(trial, subjectOf(column));
    const bounds = column === 'no-lock' ? undefined : played.cells[column];
    return judgeCell({ how: 'simulated', ...row, column }, evidence, bounds);
  }

  async figures({ id }: Column): Promise<readonly Figure[]> {
    const column = columnOf(id);
    if (column === 'no-lock') return [];
    const isCrashed = loadMatrix().rows.some(
      ({ fault, cells }) => fault === 'holder-crash' && isTried(cells[column]),
    );
    return [
      ...(column === 'memory' ? await embeddedCost(column) : []),
      ...(isCrashed ? [await simulatedTakeover(column, this.#settings.seed)] : []),
    ];
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The budget, and more of it only for what is not settled by then. */
  async #trial(row: Row, column: MatrixColumn | 'no-lock'): Promise<Trial> {
    const { seed, budget } = this.#settings;
    const subject = subjectOf(column);
    const trial = await tryCell(subject, row, { seed, budget });
    if (column === 'no-lock' || isSettled(trial, row, column)) return trial;
    return await tryCell(subject, row, {
      seed,
      budget: budget * BUDGETS_MAX,
      enough: (sofar) => isSettled(sofar, row, column),
    });
  }
}

/** Whether all that has to break has been seen to, and the rest proves something. */
function isSettled(trial: Trial, { cells }: Row, column: MatrixColumn): boolean {
  const cell = cells[column];
  return (
    provesNothing(trial, cell) === undefined &&
    CLAIMED.every(
      (claimed) => cell.claims[claimed].expect !== 'breaks' || violatedIn(trial, claimed) > 0,
    )
  );
}

function columnOf(id: string): MatrixColumn | 'no-lock' {
  if (id === 'no-lock') return id;
  const column = loadMatrix().columns.find((each) => each === id);
  if (column === undefined) throw new Error(`the matrix has no column ${id}`);
  return column;
}
