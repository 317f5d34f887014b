import { isControl, subjectOf } from '../locks/index.ts';
import {
  alwaysOf,
  CLAIMED,
  cellIn,
  type Finding,
  fingerprintOfCell,
  joined,
  loadMatrix,
  type MatrixColumn,
  provesNothing,
  type Row,
  rowName,
  type Trial,
  tryCell,
  unseenIn,
  violatedIn,
} from '../matrix/index.ts';
import { type Share, storyOf } from '../search/index.ts';
import { storyToString } from '../simulator/index.ts';
import { matrixRow } from './expected.ts';
import { type Bounds, judgeCell } from './judge-cell.ts';
import type { Cell, ReportRow } from './report.ts';
import { simulatedEvidence, worstOf } from './simulated-evidence.ts';

/** Where a lock must break and has not yet, or nothing is proved yet, up to this many budgets are spent. */
const BUDGETS_MAX = 20;

/** A cell of the matrix; plain data, so that it can be handed to another thread. */
export interface CellId {
  readonly row: ReportRow;
  readonly column: MatrixColumn;
}

export interface CellEffort {
  readonly seed: number;
  readonly budget: number;
  /** Whether the budget is all there is, however little is settled by then. */
  readonly exact: boolean;
}

/** One machine's share of a cell. */
export interface CellShare {
  readonly trial: Trial;
  readonly fingerprint: string;
}

/** The shares of all machines together. */
export interface CellSum extends CellShare {
  readonly id: CellId;
  readonly seed: number;
}

/** Plays a cell and judges it. */
export async function playCell(id: CellId, effort: CellEffort): Promise<Cell> {
  return await judgedCell(id, await trialOf(id, effort));
}

/** Plays a share of a cell, to be judged when all the others are there. */
export async function playShare(
  { row, column }: CellId,
  { seed, budget, share }: Omit<CellEffort, 'exact'> & { readonly share: Share },
): Promise<CellShare> {
  const subject = subjectOf(column);
  const played = rowOf(row);
  return {
    trial: await tryCell(subject, played, { seed, budget, share }),
    fingerprint: await fingerprintOfCell(subject, played, seed),
  };
}

/** Judges what several machines played of a cell; null where the code here is not what they played. */
export async function judgeShares({ id, seed, trial, fingerprint }: CellSum): Promise<Cell | null> {
  const here = await fingerprintOfCell(subjectOf(id.column), rowOf(id.row), seed);
  return here === fingerprint ? await judgedCell(id, trial) : null;
}

/** What a trial comes to; what nobody expected is made small, so that it can be read. */
export async function judgedCell({ row, column }: CellId, trial: Trial): Promise<Cell> {
  const subject = subjectOf(column);
  const evidence = await simulatedEvidence(trial, subject);
  const place = { how: 'simulated', ...row, column } as const;
  const cell = judgeCell(place, evidence, boundsOf({ row, column }, trial));
  if (!cell.unexpected) return { ...cell, ...storiesOf(rowOf(row), column) };
  const unkept = unkeptIn(trial, column);
  const isRest = cell.reason !== undefined && cell.reason === unkept?.told;
  const worst = isRest ? unkept?.finding : worstOf(trial);
  if (cell.evidence === null || worst === undefined) return cell;
  const { story } = await storyOf(worst.schedule, subject, worst.violation);
  return { ...cell, evidence: { ...cell.evidence, replay: storyToString(story) } };
}

/** What the matrix asks of a trial; of the control it asks nothing. */
function boundsOf({ row, column }: CellId, trial: Trial): Bounds | undefined {
  if (isControl(column)) return undefined;
  const asked = cellIn(rowOf(row), column);
  const unkept = unkeptIn(trial, column);
  return {
    ...asked,
    unseen: unseenIn(trial, asked),
    ...(unkept === undefined ? {} : { unkept: unkept.told }),
  };
}

/** The first that went wrong of what a lock keeps in every row. */
function unkeptIn(
  { findings }: Trial,
  column: CellId['column'],
): { readonly finding: Finding; readonly told: string } | undefined {
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
async function trialOf(
  { row, column }: CellId,
  { seed, budget, exact }: CellEffort,
): Promise<Trial> {
  const subject = subjectOf(column);
  const played = rowOf(row);
  const trial = await tryCell(subject, played, { seed, budget });
  if (exact || isControl(column) || isSettled(trial, played, column)) return trial;
  const more = await tryCell(subject, played, {
    seed,
    budget: budget * BUDGETS_MAX,
    after: budget,
    enough: (sofar) => isSettled(joined(trial, sofar), played, column),
  });
  return joined(trial, more);
}

/** Whether all that has to break has been seen to, and the rest proves something. */
function isSettled(trial: Trial, row: Row, column: MatrixColumn): boolean {
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
