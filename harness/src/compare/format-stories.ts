import { rowName } from '../matrix/index.ts';
import type { Paint } from './paint.ts';
import type { Run } from './report.ts';
import { TERMINAL, wrapped } from './table.ts';

const LABEL = 27;

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
