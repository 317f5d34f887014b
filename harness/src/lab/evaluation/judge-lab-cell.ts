import type { FaultId } from '@holdfast/core/backend';
import type { OutcomeId } from '../../draw/index.ts';
import { isControl } from '../../locks/index.ts';
import { figuresOf, type JudgedTrial } from './figures.ts';
import type { CellFigures, LabCell, LabReport } from './report.ts';

/** Returns what the matrix expects of a fault on a column; undefined if it states nothing. */
export type ExpectationOf = (place: CellLocation) => LabCell['expected'] | undefined;

/** A cell proves nothing if one client held while another waited in a smaller share of its trials. */
const EFFECTIVE_SHARE_MIN = 0.2;

/** One cell of the laboratory. */
export interface CellLocation {
  readonly fault: FaultId;
  /** The row of the matrix that it is, if its fault has several. */
  readonly variant?: string | undefined;
  readonly column: string;
}

/** Judges the cell of these trials. */
export function judgeLabCell(
  place: CellLocation,
  tried: readonly JudgedTrial[],
  expected: LabCell['expected'],
): LabCell {
  const figures = figuresOf(tried);
  const reason = provesNothing(place, figures, tried);
  const outcome = reason === undefined ? outcomeOf(place, figures) : 'nothing';
  const fenced = fencedOf(figures);
  return {
    ...place,
    outcome,
    fenced,
    expected,
    unexpected: isUnexpected({ outcome, fenced }, expected),
    ...(reason === undefined ? {} : { reason }),
    figures,
  };
}

/** The cell of a fault that could not be run. */
export function failedLabCell(
  place: CellLocation,
  reason: string,
  expected: LabCell['expected'],
): LabCell {
  return {
    ...place,
    outcome: 'nothing',
    fenced: 'n/a',
    expected,
    unexpected: true,
    reason,
    figures: null,
  };
}

/** The cell of a fault that does not apply to a lock. */
export function inapplicableLabCell(place: CellLocation, reason: string): LabCell {
  const failed = failedLabCell(place, reason, null);
  return { ...failed, outcome: 'n/a', unexpected: false };
}

function provesNothing(
  { column }: CellLocation,
  { effective, trials, validity, updates, handoverMs }: CellFigures,
  tried: readonly JudgedTrial[],
): string | undefined {
  const verdicts = tried.flatMap(({ judged }) => [judged.validity, judged.belief]);
  const flaw = verdicts.find(({ kind }) => kind === 'unknown')?.message;
  if (flaw !== undefined) return `a history could not be judged: ${flaw}`;
  if (isControl(column))
    return updates.lost > 0 ? undefined : 'without a lock nothing was lost either';
  // A lock that lets two in has no waiters, and is broken all the same.
  if (validity.hits === 0 && effective < trials * EFFECTIVE_SHARE_MIN)
    return `one client held while another waited in only ${effective} of ${trials} trials`;
  // A lock that no one ever acquires is safe too. After a missed notification the question is whether the waiter
  // acquires it at all.
  if (tried.some(({ record }) => record.missedNotification) && handoverMs.unended > 0)
    return `in ${handoverMs.unended} of ${trials} trials the waiter that missed the notification never got the lock`;
  if (updates.accepted === 0) return 'no update was made, so none could be lost';
  return undefined;
}

function outcomeOf({ column }: CellLocation, figures: CellFigures): OutcomeId {
  if (isControl(column) || figures.validity.hits > 0) return 'breaks';
  if (figures.belief.hits > 0) return 'late';
  // No holder was late, and yet an update was lost: the lock did not exclude.
  return figures.unfenced.hits > 0 ? 'breaks' : 'holds';
}

function fencedOf({ fenced }: CellFigures): LabCell['fenced'] {
  if (fenced === null) return 'n/a';
  return fenced.hits > 0 ? 'breaks' : 'holds';
}

/** Without an expectation only a cell that proves nothing is unexpected. */
function isUnexpected(
  { outcome, fenced }: Pick<LabCell, 'outcome' | 'fenced'>,
  expected: LabCell['expected'],
): boolean {
  if (expected === null) return outcome === 'nothing';
  return expected.outcome !== outcome || expected.fenced !== fenced;
}

/**
 * The verdict of a report. A run proves nothing if the control lost no update, or if no lock was tested: there is
 * nothing to compare.
 */
export function labVerdict(cells: readonly LabCell[]): LabReport['verdict'] {
  if (!hasLocks(cells)) return 'proved-nothing';
  if (cells.some(({ column, outcome }) => isControl(column) && outcome === 'nothing'))
    return 'proved-nothing';
  return cells.some(({ unexpected }) => unexpected) ? 'unexpected' : 'as-expected';
}

/** True if any lock but the control was tested. */
export function hasLocks(cells: readonly LabCell[]): boolean {
  return cells.some(({ column }) => !isControl(column));
}

/** A cell that was run. */
export type CellWithFigures = LabCell & { readonly figures: NonNullable<LabCell['figures']> };

/** True if the cell was run. */
export function hasFigures(cell: LabCell): cell is CellWithFigures {
  return cell.figures !== null;
}

/** The cells of locks that were run. The control lets all clients in at once, so its availability says nothing. */
export function cellsWithFigures({ cells }: LabReport): readonly CellWithFigures[] {
  return cells.filter(hasFigures).filter(({ column }) => !isControl(column));
}
