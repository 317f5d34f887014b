import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import {
  alwaysOf,
  cellIn,
  contradictedClaims,
  EMPTY_CELL_RESULT,
  fingerprintOfCell,
  loadMatrix,
  provesNothing,
  type Row,
  rowName,
} from '../../harness/test/kit/matrix.ts';
import { type CampaignRow, campaignPage } from './page.ts';
import { keptCells, type PlayedCell } from './record.ts';

const MATRIX = loadMatrix();
const CELLS = keptCells();
const PAGE = '../../docs/evidence/campaign.md';

/** A row that the matrix has no longer has been renamed or taken out, and what was played of it with it. */
function rowOf(cell: PlayedCell): Row {
  const row = MATRIX.rows.find((each) => rowName(each) === rowName(cell));
  if (row === undefined) throw new Error(`${rowName(cell)} was played, and is not in the matrix`);
  return row;
}

test('what the matrix says is what the campaign came to', () => {
  const wrong = CELLS.flatMap((cell) => {
    const row = rowOf(cell);
    const expected = cellIn(row, cell.column);
    const trial = { ...EMPTY_CELL_RESULT, tally: cell.tally };
    const unkept = alwaysOf(MATRIX, cell.column).filter((kept) => cell.tally.violated[kept]);
    const what = [
      ...contradictedClaims(trial, expected),
      ...unkept,
      provesNothing(trial, expected),
    ];
    const told = what.filter((each) => each !== undefined);
    return told.length === 0 ? [] : [`${rowName(cell)} on ${cell.column}: ${told.join(', ')}`];
  });

  expect(wrong).toEqual([]);
});

test('the page says what was played, and by which code', { timeout: 300_000 }, async () => {
  const shown: CampaignRow[] = [];
  for (const cell of CELLS) {
    const row = rowOf(cell);
    const today = await fingerprintOfCell(subjectOf(cell.column), row, cell.seed);
    shown.push({ ...cell, row, isCurrent: today === cell.fingerprint });
  }

  await expect(campaignPage(shown, MATRIX)).toMatchFileSnapshot(PAGE);
});
