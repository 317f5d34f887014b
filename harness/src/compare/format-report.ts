import { rowName } from '../matrix/index.ts';
import { formatClosing } from './format-closing.ts';
import { formatCost } from './format-cost.ts';
import { formatCounts } from './format-counts.ts';
import { formatNotes } from './format-notes.ts';
import { safetyHead, safetyRow } from './format-safety.ts';
import { formatStories } from './format-stories.ts';
import type { Paint } from './paint.ts';
import type { Report, Run } from './report.ts';

/** A whole report for people; the command prints the same, row by row as they come. */
export function formatReport(report: Report, paint: Paint): string {
  const lines = [
    ...report.runs.flatMap((run) => formatRun(run, paint)),
    ...formatClosing(report, paint),
  ];
  return `${lines.join('\n')}\n`;
}

function formatRun(run: Run, paint: Paint): string[] {
  const rows = run.rows.flatMap((row) =>
    safetyRow(
      run,
      row,
      run.safety.filter((cell) => rowName(cell) === rowName(row)),
      paint,
    ),
  );
  return [...safetyHead(run, paint), ...rows, ...formatEnd(run, paint)];
}

/** What follows the rows of the part Safety. */
export function formatEnd(run: Run, paint: Paint): string[] {
  const blocks = [
    formatCost(run, paint),
    formatCounts(run, paint),
    formatNotes(run, paint),
    formatStories(run, paint),
  ];
  return blocks.flatMap((block) => (block.length === 0 ? [] : ['', ...block])).concat('');
}
