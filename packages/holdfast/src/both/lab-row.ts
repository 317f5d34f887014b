import type { FaultId } from '@holdfast/core';
import type { ReportRow } from '../compare/report.ts';
import { loadMatrix, placeName } from '../matrix/index.ts';

/** Which row of the matrix is played on real servers, where a fault has several. */
const VARIANTS: Readonly<Partial<Record<FaultId, string>>> = {
  failover: 'clocks level',
  'split-brain': 'clocks level',
};

/** Where several servers remember for each other, or where a column has one that nobody makes remember. */
const VARIANTS_OF: Readonly<Record<string, Readonly<Partial<Record<FaultId, string>>>>> = {
  zk: { 'restart-empty': 'a minority' },
  'zk/single': { 'restart-empty': 'all servers, a newcomer', 'torn-log': 'all servers' },
};

/** The row of the matrix that a fault on real servers belongs to. */
export function labRow(fault: FaultId, column: string): ReportRow {
  const variant = VARIANTS_OF[column]?.[fault] ?? VARIANTS[fault];
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
