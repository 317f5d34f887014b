import type { CellFigures, LabCell, LabReport } from '../evaluation/report.ts';

/** A report that was written by version 1, which called two figures differently. */
export type LabReportOfVersion1 = Omit<LabReport, 'version' | 'cells'> & {
  readonly version: 1;
  readonly cells: readonly (Omit<LabCell, 'figures'> & {
    readonly figures: FiguresOfVersion1 | null;
  })[];
};

type FiguresOfVersion1 = Omit<CellFigures, 'description' | 'availability'> & {
  readonly told: CellFigures['description'];
  readonly course: CellFigures['availability'];
};

/** The same report with the names of today. */
export function ofToday(report: LabReport | LabReportOfVersion1): LabReport {
  if (report.version !== 1) return report;
  const cells = report.cells.map(({ figures, ...cell }) => ({
    ...cell,
    figures: figures && renamed(figures),
  }));
  return { ...report, version: 2, cells };
}

function renamed({ told, course, ...figures }: FiguresOfVersion1): CellFigures {
  return { ...figures, description: told, availability: course };
}
