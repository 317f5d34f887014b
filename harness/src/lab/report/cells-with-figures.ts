import { isControl } from '../../locks/index.ts';
import type { LabCell, LabReport } from '../evaluation/report.ts';

/** A cell that was played. */
export type CellWithFigures = LabCell & { readonly figures: NonNullable<LabCell['figures']> };

export function hasFigures(cell: LabCell): cell is CellWithFigures {
  return cell.figures !== null;
}

/** Those of locks that were played; the control serves everybody at once and shows nothing. */
export function cellsWithFigures({ cells }: LabReport): readonly CellWithFigures[] {
  return cells.filter(hasFigures).filter(({ column }) => !isControl(column));
}
