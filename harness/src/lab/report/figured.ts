import { isControl } from '../../locks/index.ts';
import type { LabCell, LabReport } from '../evaluation/report.ts';

/** A cell that was played. */
export type Figured = LabCell & { readonly figures: NonNullable<LabCell['figures']> };

export function isFigured(cell: LabCell): cell is Figured {
  return cell.figures !== null;
}

/** Those of locks that were played; the control serves everybody at once and shows nothing. */
export function figured({ cells }: LabReport): readonly Figured[] {
  return cells.filter(isFigured).filter(({ column }) => !isControl(column));
}
