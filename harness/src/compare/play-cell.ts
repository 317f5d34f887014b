import { isControl, subjectOf } from '../locks/index.ts';
import {
  alwaysOf,
  type CellResult,
  CLAIMED,
  cellIn,
  type FirstViolation,
  fingerprintOfCell,
  loadMatrix,
  type MatrixColumn,
  mergeCellResults,
  provesNothing,
  type Row,
  rowName,
  runCell,
  unreachedIn,
  violatedIn,
} from '../matrix/index.ts';
import { minimiseToStory, type Share } from '../search/index.ts';
import { storyToString } from '../simulator/index.ts';
import { matrixRow } from './expectation.ts';
import { type CellBounds, judgeComparedCell } from './judge-compared-cell.ts';
import type { Cell, ReportRow } from './report.ts';
import { simulatedEvidence, worstOf } from './simulated-evidence.ts';

/** Up to this many budgets are spent until a lock that must break does, or something is proved. */
const BUDGETS_MAX = 20;

/** A cell of the matrix; plain data, so that it can be sent to another thread. */
export interface CellId {
  readonly row: ReportRow;
  readonly column: MatrixColumn;
}

export interface CellBudget {
  readonly seed: number;
  readonly budget: number;
  /** True if exactly the budget is run, even if a result is still open. */
  readonly exact: boolean;
}

/** One machine's share of a cell. */
export interface CellShareResult {
  readonly trial: CellResult;
  readonly fingerprint: string;
}

/** The combined shares of all machines. */
export interface CombinedCell extends CellShareResult {
  readonly id: CellId;
  readonly seed: number;
}

/** Runs a cell and judges it. */
export async function playCell(id: CellId, effort: CellBudget): Promise<Cell> {
  return await judgedCell(id, await runTrials(id, effort));
}

/** Runs a share of a cell; it is judged after all shares are merged. */
export async function playShare(
  { row, column }: CellId,
  { seed, budget, share }: Omit<CellBudget, 'exact'> & { readonly share: Share },
): Promise<CellShareResult> {
  const subject = subjectOf(column);
  const played = rowOf(row);
  return {
    trial: await runCell(subject, played, { seed, budget, share }),
    fingerprint: await fingerprintOfCell(subject, played, seed),
  };
}

/** Judges the combined shares of a cell; null if the code here is not the code that ran them. */
export async function judgeShares({
  id,
  seed,
  trial,
  fingerprint,
}: CombinedCell): Promise<Cell | null> {
  const here = await fingerprintOfCell(subjectOf(id.column), rowOf(id.row), seed);
  return here === fingerprint ? await judgedCell(id, trial) : null;
}

/** Judges a result; an unexpected violation is minimised, so that its story is readable. */
export async function judgedCell({ row, column }: CellId, trial: CellResult): Promise<Cell> {
  const subject = subjectOf(column);
  const evidence = await simulatedEvidence(trial, subject);
  const place = { how: 'simulated', ...row, column } as const;
  const cell = judgeComparedCell(place, evidence, boundsOf({ row, column }, trial));
  if (!cell.unexpected) return { ...cell, ...storiesOf(rowOf(row), column) };
  const violation = alwaysBrokenIn(trial, column);
  const isRest = cell.reason !== undefined && cell.reason === violation?.message;
  const worst = isRest ? violation?.finding : worstOf(trial);
  if (cell.evidence === null || worst === undefined) return cell;
  const { story } = await minimiseToStory(worst.schedule, subject, worst.violation);
  return { ...cell, evidence: { ...cell.evidence, replay: storyToString(story) } };
}

/** The bounds of the matrix for a result; the control has none. */
function boundsOf({ row, column }: CellId, trial: CellResult): CellBounds | undefined {
  if (isControl(column)) return undefined;
  const expected = cellIn(rowOf(row), column);
  const violation = alwaysBrokenIn(trial, column);
  return {
    ...expected,
    unreached: unreachedIn(trial, expected),
    ...(violation === undefined ? {} : { alwaysBroken: violation.message }),
  };
}

/** The first violation of a property that a lock keeps in every row. */
function alwaysBrokenIn(
  { findings }: CellResult,
  column: CellId['column'],
): { readonly finding: FirstViolation; readonly message: string } | undefined {
  if (isControl(column)) return undefined;
  for (const kept of alwaysOf(loadMatrix(), column)) {
    const finding = findings.get(kept);
    if (finding !== undefined) return { finding, message: `${kept}: ${finding.violation.message}` };
  }
  return undefined;
}

/** The stories of the claims that break in a cell as expected. */
function storiesOf(row: Row, column: CellId['column']): Pick<Cell, 'stories'> {
  if (isControl(column)) return {};
  const { claims } = cellIn(row, column);
  const stories = new Set(CLAIMED.flatMap((claimed) => claims[claimed].story ?? []));
  return stories.size === 0 ? {} : { stories: [...stories] };
}

/** Runs the budget, and more only if the result is still open. */
async function runTrials(
  { row, column }: CellId,
  { seed, budget, exact }: CellBudget,
): Promise<CellResult> {
  const subject = subjectOf(column);
  const played = rowOf(row);
  const trial = await runCell(subject, played, { seed, budget });
  if (exact || isControl(column) || isSettled(trial, played, column)) return trial;
  const more = await runCell(subject, played, {
    seed,
    budget: budget * BUDGETS_MAX,
    after: budget,
    shouldStop: (sofar) => isSettled(mergeCellResults(trial, sofar), played, column),
  });
  return mergeCellResults(trial, more);
}

/** True if every claim that must break was violated, and the result proves something. */
function isSettled(trial: CellResult, row: Row, column: MatrixColumn): boolean {
  const cell = cellIn(row, column);
  return (
    provesNothing(trial, cell) === undefined &&
    CLAIMED.every(
      (claimed) => cell.claims[claimed].expect !== 'breaks' || violatedIn(trial, claimed) > 0,
    )
  );
}

function rowOf(row: ReportRow): Row {
  const played = matrixRow(row);
  if (played === undefined) throw new Error(`the matrix has no row ${rowName(row)}`);
  return played;
}

/** @throws Error for a column that the matrix does not have */
export function columnOf(id: string): CellId['column'] {
  if (isControl(id)) return id;
  const column = loadMatrix().columns.find((each) => each === id);
  if (column === undefined) throw new Error(`the matrix has no column ${id}`);
  return column;
}
