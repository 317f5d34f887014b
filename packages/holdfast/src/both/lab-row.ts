import type { FaultId } from '@holdfast/core';
import type { ReportRow } from '../compare/report.ts';
import { deploymentOf } from '../locks/index.ts';
import { loadMatrix, placeName } from '../matrix/index.ts';

/** Which row of the matrix is played on real servers, where a fault has several. */
const VARIANTS: Readonly<Partial<Record<FaultId, string>>> = {
  failover: 'clocks level',
  'split-brain': 'clocks level',
};

/** The row of the matrix that a fault on real servers belongs to. */
export function labRow(fault: FaultId, column: string): ReportRow {
  const variant = deploymentOf(column)?.variants?.[fault] ?? VARIANTS[fault];
  return variant === undefined ? { fault } : { fault, variant };
}

/** Whether the matrix says that real servers show less there than the simulator, or more. */
export function isKnownToDiffer({
  fault,
  column,
}: {
  readonly fault: FaultId;
  readonly column: string;
}): boolean {
  const own = placeName({ ...labRow(fault, column), column });
  return loadMatrix().differences.some(({ cells }) =>
    cells.some((place) => placeName(place) === own),
  );
}
