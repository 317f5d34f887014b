import { rowName } from '../matrix/index.ts';
import { formatClosing } from './format-closing.ts';
import { formatCost } from './format-cost.ts';
import { formatCounts } from './format-counts.ts';
import { formatNotes } from './format-notes.ts';
import { safetyHead, safetyRow } from './format-safety.ts';
import type { Paint } from './paint.ts';
import type { Report, Run } from './report.ts';
import { TERMINAL, wrapped } from './table.ts';

const LABEL = 27;

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

/** What to replay, row by row: the smallest stories of what breaks as expected. */
export function formatStories({ rows, safety }: Run, paint: Paint): string[] {
  const lines = rows.flatMap((row) => {
    const cells = safety.filter((cell) => rowName(cell) === rowName(row));
    const names = [...new Set(cells.flatMap(({ stories = [] }) => stories))];
    if (names.length === 0) return [];
    const [first = '', ...rest] = wrapped(names.join(' '), LABEL, TERMINAL);
    const name = rowName(row);
    if (name.length >= LABEL) return [name, ' '.repeat(LABEL) + first, ...rest];
    return [name.padEnd(LABEL) + first, ...rest];
  });
  if (lines.length === 0) return [];
  const how = paint.dim('the smallest that show it: npx holdfast replay NAME');
  return [`${paint.bold('Stories')}  ${how}`, ...lines];
}
