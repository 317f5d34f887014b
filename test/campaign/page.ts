import { grouped } from '../../harness/src/compare/format-counts.ts';
import { columnNamed } from '../../harness/src/locks/index.ts';
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
} from '../../harness/src/matrix/index.ts';
import type { PlayedCell } from './record.ts';

/** A cell of a campaign, its row, and whether today's code plays its first schedules as that did. */
export interface CampaignRow extends PlayedCell {
  readonly row: Row;
  readonly isCurrent: boolean;
}

const INTRODUCTION = `# The campaign

Every cell of [the matrix](matrix.md), played on far more schedules than a build has time for, and all of them whatever was
found on the way. Counted is in how many schedules a property was violated; what is expected stands in the matrix.

- \`took effect\`: the fault struck while one held and another waited. \`done\`: of all operations of clients that lived.
- \`two valid\`: leases at once. \`late\`: a holder that still works. \`fence broken\`: tokens did not keep holders in order at a resource
  that compares them. \`stuck\`: somebody waited for ever, or something outlived its lease. \`fifo\`: somebody was served before who had
  come later. \`ownership\`: a release or a renewal touched the hold of somebody else. A dash: the lock does not promise it.
- "None" bounds a rate, it does not say never: in 100 000 schedules, at 95 %, fewer than 3 in 100 000 of such schedules.

Anybody can play it again, on as many machines as there are, in slices ([shards](../testing/sharding.md)):

\`\`\`
for k in $(seq 1 8); do npx holdfast compare --backends zk --budget 100000 --shard $k/8 --out campaign/zk; done
npx holdfast merge campaign/zk
HOLDFAST_CAMPAIGN=campaign npx vitest run --project deep test/deep/campaign.test.ts
npx vitest run --project properties test/properties/campaign.test.ts -u
\`\`\`

The last two keep what it came to in \`test/campaign/record/\`, and write this page. With each cell a fingerprint is kept, of its
first four schedules. A cell marked † was played by code that played those otherwise than today's does, so its figures are of an
earlier Holdfast.
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
  const told = [
    `${cells.length} cells, ${grouped(schedules)} schedules in all, at least ${grouped(fewest)} a cell.`,
    stale === 0
      ? 'Today’s code plays the first four schedules of every cell as they were played then.'
      : `${stale} cells were played by other code than today’s.`,
    ...(missing.length === 0 ? [] : [`Not played yet: ${missing.join(', ')}.`]),
  ];
  return `${told.join(' ')}\n`;
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
