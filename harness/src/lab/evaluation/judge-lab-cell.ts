import type { FaultId } from '@holdfast/core';
import type { OutcomeId } from '../../draw/index.ts';
import { isControl } from '../../locks/index.ts';
import { figuresOf, type JudgedTrial } from './figures.ts';
import type { CellFigures, LabCell, LabReport } from './report.ts';

/** What the matrix says of a fault on a column; undefined where it says nothing. */
export type ExpectationOf = (place: CellLocation) => LabCell['expected'] | undefined;

/** In fewer of the strikes than this somebody held while another waited: nothing is shown. */
const EFFECTIVE_SHARE_MIN = 0.2;

/** One cell of the laboratory. */
export interface CellLocation {
  readonly fault: FaultId;
  /** Which row of the matrix it is played as, where its fault has several. */
  readonly variant?: string | undefined;
  readonly column: string;
}

/** The cell of what was tried. */
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

/** The cell of what could not be played. */
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

function provesNothing(
  { column }: CellLocation,
  { effective, trials, updates, handoverMs }: CellFigures,
  tried: readonly JudgedTrial[],
): string | undefined {
  const verdicts = tried.flatMap(({ judged }) => [judged.validity, judged.belief]);
  const flaw = verdicts.find(({ kind }) => kind === 'unknown')?.message;
  if (flaw !== undefined) return `a history could not be judged: ${flaw}`;
  if (isControl(column))
    return updates.lost > 0 ? undefined : 'without a lock nothing was lost either';
  if (effective < trials * EFFECTIVE_SHARE_MIN)
    return `in only ${effective} of ${trials} strikes one held and another waited`;
  // Safe is who never gets it, too; what is asked where one is not told is whether somebody does.
  if (tried.some(({ record }) => record.missedNotification) && handoverMs.unended > 0)
    return `in ${handoverMs.unended} of ${trials} trials the waiter that missed the notification never got the lock`;
  if (updates.accepted === 0) return 'no update was made, so none could be lost';
  return undefined;
}

function outcomeOf({ column }: CellLocation, figures: CellFigures): OutcomeId {
  if (isControl(column) || figures.validity.hits > 0) return 'breaks';
  if (figures.belief.hits > 0) return 'late';
  // Nobody was late, and yet an update is gone: whatever did that, the lock did not exclude.
  return figures.unfenced.hits > 0 ? 'breaks' : 'holds';
}

function fencedOf({ fenced }: CellFigures): LabCell['fenced'] {
  if (fenced === null) return 'n/a';
  return fenced.hits > 0 ? 'breaks' : 'holds';
}

/** Where nobody has said what to expect, only what proves nothing is not as it should be. */
function isUnexpected(
  { outcome, fenced }: Pick<LabCell, 'outcome' | 'fenced'>,
  expected: LabCell['expected'],
): boolean {
  if (expected === null) return outcome === 'nothing';
  return expected.outcome !== outcome || expected.fenced !== fenced;
}

/** A control that lost nothing outweighs the rest: there is nothing to compare with; nor is there where no lock was tried. */
export function labVerdict(cells: readonly LabCell[]): LabReport['verdict'] {
  if (!hasLocks(cells)) return 'proved-nothing';
  if (cells.some(({ column, outcome }) => isControl(column) && outcome === 'nothing'))
    return 'proved-nothing';
  return cells.some(({ unexpected }) => unexpected) ? 'unexpected' : 'as-expected';
}

/** Whether anything but the control was tried. */
export function hasLocks(cells: readonly LabCell[]): boolean {
  return cells.some(({ column }) => !isControl(column));
}

/** A cell that was played. */
export type CellWithFigures = LabCell & { readonly figures: NonNullable<LabCell['figures']> };

export function hasFigures(cell: LabCell): cell is CellWithFigures {
  return cell.figures !== null;
}

/** Those of locks that were played; the control serves everybody at once and shows nothing. */
export function cellsWithFigures({ cells }: LabReport): readonly CellWithFigures[] {
  return cells.filter(hasFigures).filter(({ column }) => !isControl(column));
}
