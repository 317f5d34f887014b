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

/** Where a lock must break and has not yet, or nothing is proved yet, up to this many budgets are spent. */
const BUDGETS_MAX = 20;

/** A cell of the matrix; plain data, so that it can be handed to another thread. */
export interface CellId {
  readonly row: ReportRow;
  readonly column: MatrixColumn;
}

export interface CellBudget {
  readonly seed: number;
  readonly budget: number;
  /** Whether the budget is all there is, however little is settled by then. */
  readonly exact: boolean;
}

/** One machine's share of a cell. */
export interface CellShareResult {
  readonly trial: CellResult;
  readonly fingerprint: string;
}

/** The shares of all machines together. */
export interface CombinedCell extends CellShareResult {
  readonly id: CellId;
  readonly seed: number;
}

/** Plays a cell and judges it. */
export async function playCell(id: CellId, effort: CellBudget): Promise<Cell> {
  return await judgedCell(id, await runTrials(id, effort));
}

/** Plays a share of a cell, to be judged when all the others are there. */
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

/** Judges what several machines played of a cell; null where the code here is not what they played. */
export async function judgeShares({
  id,
  seed,
  trial,
  fingerprint,
}: CombinedCell): Promise<Cell | null> {
  const here = await fingerprintOfCell(subjectOf(id.column), rowOf(id.row), seed);
  return here === fingerprint ? await judgedCell(id, trial) : null;
}

/** What a trial comes to; what nobody expected is made small, so that it can be read. */
export async function judgedCell({ row, column }: CellId, trial: CellResult): Promise<Cell> {
  const subject = subjectOf(column);
  const evidence = await simulatedEvidence(trial, subject);
  const place = { how: 'simulated', ...row, column } as const;
  const cell = judgeComparedCell(place, evidence, boundsOf({ row, column }, trial));
  if (!cell.unexpected) return { ...cell, ...storiesOf(rowOf(row), column) };
  const unkept = alwaysBrokenIn(trial, column);
  const isRest = cell.reason !== undefined && cell.reason === unkept?.told;
  const worst = isRest ? unkept?.finding : worstOf(trial);
  if (cell.evidence === null || worst === undefined) return cell;
  const { story } = await minimiseToStory(worst.schedule, subject, worst.violation);
  return { ...cell, evidence: { ...cell.evidence, replay: storyToString(story) } };
}

/** What the matrix asks of a trial; of the control it asks nothing. */
function boundsOf({ row, column }: CellId, trial: CellResult): CellBounds | undefined {
  if (isControl(column)) return undefined;
  const asked = cellIn(rowOf(row), column);
  const unkept = alwaysBrokenIn(trial, column);
  return {
    ...asked,
    unreached: unreachedIn(trial, asked),
    ...(unkept === undefined ? {} : { alwaysBroken: unkept.told }),
  };
}

/** The first that went wrong of what a lock keeps in every row. */
function alwaysBrokenIn(
  { findings }: CellResult,
  column: CellId['column'],
): { readonly finding: FirstViolation; readonly told: string } | undefined {
  if (isControl(column)) return undefined;
  for (const kept of alwaysOf(loadMatrix(), column)) {
    const finding = findings.get(kept);
    if (finding !== undefined) return { finding, told: `${kept}: ${finding.violation.message}` };
  }
  return undefined;
}

/** Of what breaks in a cell, as it has to. */
function storiesOf(row: Row, column: CellId['column']): Pick<Cell, 'stories'> {
  if (isControl(column)) return {};
  const { claims } = cellIn(row, column);
  const stories = new Set(CLAIMED.flatMap((claimed) => claims[claimed].story ?? []));
  return stories.size === 0 ? {} : { stories: [...stories] };
}

/** The budget, and more of it only for what is not settled by then. */
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

/** Whether all that has to break has been seen to, and the rest proves something. */
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
