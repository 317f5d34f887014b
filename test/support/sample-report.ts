import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type LabCell, type LabReport, storyForCell } from '../../harness/test/kit/lab.ts';

const KEPT = new URL('sample-report.json.gz', import.meta.url);

/** The figures of one run of the laboratory; `npm run sample-report` measures them again. */
export function sampleFigures(): LabReport {
  return JSON.parse(gunzipSync(readFileSync(KEPT)).toString());
}

/** Variants that the cells of older reports lack. */
const VARIANTS: Readonly<Record<string, string>> = {
  failover: 'clocks level',
  'split-brain': 'clocks level',
};

/** Returns the report with drawings. A trial shows the drawing of its story, since its own events are not kept. */
export async function sampleReport(): Promise<LabReport> {
  const report = sampleFigures();
  const cells: LabCell[] = [];
  for (const cell of report.cells) {
    const story = await storyForCell({ ...cell, variant: cell.variant ?? VARIANTS[cell.fault] });
    cells.push(story === undefined ? cell : { ...cell, story, timeline: story.drawing });
  }
  return { ...report, cells };
}

/** The part of it that has these faults and columns. */
export function partOf(report: LabReport, faults: readonly string[]): LabReport {
  const has = ({ fault }: Pick<LabCell, 'fault'>): boolean => faults.includes(fault);
  const { both } = report;
  return {
    ...report,
    rows: report.rows.filter((fault) => faults.includes(fault)),
    cells: report.cells.filter(has),
    both: both && { ...both, cells: both.cells.filter(has) },
  };
}
