import { columnNamed } from '../../harness/test/kit/locks.ts';
import {
  ALWAYS,
  alwaysOf,
  CLAIMED,
  cellIn,
  EMPTY_CELL_RESULT,
  type Matrix,
  type MatrixColumn,
  type Row,
  rowName,
  stuckIn,
  violatedIn,
} from '../../harness/test/kit/matrix.ts';
import { grouped } from '../../harness/test/kit/shards.ts';
import type { PlayedCell } from './record.ts';

/** A cell of a campaign, its row, and whether today's code plays its first schedules as that did. */
export interface CampaignRow extends PlayedCell {
  readonly row: Row;
  readonly isCurrent: boolean;
}

const INTRODUCTION = `# The campaign

Every cell of [the matrix](matrix.md), run on far more schedules than a build has time for, and on all of them even after a violation on the
way. The table counts the schedules in which a property was violated. The matrix says what is expected.

| column | counts |
|---|---|
| \`took effect\` | schedules in which the fault took effect while one client held and another waited |
| \`done\` | the share of all operations of live clients |
| \`two valid\` | two valid leases at once |
| \`late\` | a holder that still works after its lease |
| \`fence broken\` | tokens that did not keep holders in order, at a resource that compares them |
| \`stuck\` | a client that waited without end, or state that outlived its lease |
| \`fifo\` | a client that was served before one that had come earlier |
| \`ownership\` | a release or a renewal that touched another client's hold |

A dash: the lock does not promise it. "None" bounds a rate, it does not mean never: in 100 000 schedules, at 95 %, fewer than 3 in
100 000 of such schedules.

The tests keep the counters in \`test/campaign/record/\` and write this page: [how to run a campaign](../testing/sharding.md#a-campaign).
A cell marked † was run by code that ran its first four schedules differently from today's, so its figures are of an earlier Holdfast.
`;

/** The page, from what was kept, in the order of the matrix. */
export function campaignPage(cells: readonly CampaignRow[], matrix: Matrix): string {
  const { rows, columns } = matrix;
  const played = columns.filter((column) => cells.some((cell) => cell.column === column));
  const chapters = played.map((column) => {
    const ofColumn = cells.filter((cell) => cell.column === column);
    const inOrder = ofColumn.toSorted((a, b) => rows.indexOf(a.row) - rows.indexOf(b.row));
    return chapter(column, inOrder, matrix);
  });
  return [INTRODUCTION, summary(cells, columns), ...chapters].join('\n');
}

function summary(cells: readonly CampaignRow[], columns: readonly MatrixColumn[]): string {
  const schedules = cells.reduce((sum, { tally }) => sum + tally.schedules, 0);
  const fewest = Math.min(...cells.map(({ tally }) => tally.schedules));
  const stale = cells.filter(({ isCurrent }) => !isCurrent).length;
  const missing = columns.filter((column) => cells.every((cell) => cell.column !== column));
  const sentences = [
    `${cells.length} cells, ${grouped(schedules)} schedules in all, at least ${grouped(fewest)} a cell.`,
    stale === 0
      ? 'Today’s code plays the first four schedules of every cell as they were played then.'
      : `${stale} cells were played by other code than today’s.`,
    ...(missing.length === 0 ? [] : [`Not played yet: ${missing.join(', ')}.`]),
  ];
  return `${sentences.join(' ')}\n`;
}

function chapter(column: MatrixColumn, cells: readonly CampaignRow[], matrix: Matrix): string {
  return `## ${column}\n\n${columnNamed(column).meaning}\n\n${HEAD}\n${cells.map((cell) => rowOf(cell, matrix)).join('\n')}\n`;
}

const HEADS = [
  'schedules',
  'took effect',
  'done',
  'two valid',
  'late',
  'fence broken',
  'stuck',
  ...ALWAYS,
];
const HEAD = `| fault | ${HEADS.join(' | ')} |\n| --- |${HEADS.map(() => ' --: |').join('')}`;

function rowOf(cell: CampaignRow, matrix: Matrix): string {
  const { row, tally, isCurrent } = cell;
  const { schedules, effective, ops, accepted } = tally;
  const counts = countsOf(cell, matrix).map((count) => {
    if (count === undefined) return '–';
    return count === 0 ? 'none' : `${grouped(count)}, ${percent(count, schedules)}`;
  });
  const parts = [
    `${rowName(row)}${isCurrent ? '' : ' †'}`,
    grouped(schedules),
    percent(effective, schedules),
    percent(accepted, ops),
    ...counts,
  ];
  return `| ${parts.join(' | ')} |`;
}

/** In how many schedules each was violated; undefined of what the lock does not promise: tokens, say. */
function countsOf(
  { row, column, tally }: CampaignRow,
  matrix: Matrix,
): readonly (number | undefined)[] {
  const trial = { ...EMPTY_CELL_RESULT, tally };
  const { claims } = cellIn(row, column);
  const claimed = CLAIMED.map((each) =>
    claims[each].expect === 'n/a' ? undefined : violatedIn(trial, each),
  );
  const promised = alwaysOf(matrix, column);
  const always = ALWAYS.map((kept) =>
    promised.includes(kept) ? (tally.violated[kept] ?? 0) : undefined,
  );
  return [...claimed, stuckIn(trial), ...always];
}

function percent(part: number, whole: number): string {
  const value = Number(((100 * part) / whole).toPrecision(2));
  // Never rounded up to all.
  return `${value === 100 && part < whole ? 99 : value} %`;
}
