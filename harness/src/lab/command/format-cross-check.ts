import { OUTCOMES } from '../../draw/index.ts';
import type { CrossCheck, CrossCheckCell, CrossCheckClaim } from '../evaluation/cross-check.ts';
import {
  CLAIM_NAMES,
  conclusionOf,
  differencesIn,
  differenceText,
  nameOf,
} from '../report/cross-check-text.ts';

const ROW_WIDTH = 28;
const COLUMN_WIDTH = 24;
const CLAIM_WIDTH = 14;

/** Both verdicts side by side, cell by cell; then every difference, and why. */
export function formatCrossCheck(both: CrossCheck): readonly string[] {
  return [
    '',
    'Side by side  what the simulator finds, and in how many strikes the laboratory saw it',
    `              simulator: ${legend(both)}`,
    '',
    line('', '', Object.values(CLAIM_NAMES)),
    ...both.cells.flatMap((cell, n) => rowOf(cell, both.cells[n - 1])),
    '',
    ...differencesIn(both).map(
      ({ cell, claims }) => `≠ ${nameOf(cell)}: ${differenceText(claims)}`,
    ),
    ...both.known.flatMap(({ cells, why, replay, occurred }) => [
      `${occurred ? 'Known' : 'Known, but not seen this time'}: ${cells.join(', ')}. ${why}`,
      `  npx holdfast replay ${replay}`,
    ]),
    conclusionOf(both),
  ];
}

/** What the glyphs of the simulator mean; none is never without how many it is of. */
function legend({ cells }: CrossCheck): string {
  const empty = cells.flatMap(({ claims }) =>
    claims.flatMap(({ simulator: { hits, of } }) => (hits === 0 && of > 0 ? [of] : [])),
  );
  const { breaks, holds, inert } = OUTCOMES;
  const none =
    empty.length === 0 ? [] : [`${holds.glyph} none in ${Math.min(...empty)} schedules or more`];
  return [`${breaks.glyph} found`, ...none, `${inert.glyph} cannot matter`].join(', ');
}

/** A name that is too long for its column has a line of its own. */
function rowOf(cell: CrossCheckCell, before: CrossCheckCell | undefined): readonly string[] {
  const row = rowText(cell);
  const isSame = before !== undefined && rowText(before) === row;
  const isLong = row.length >= ROW_WIDTH;
  const claims = Object.keys(CLAIM_NAMES).map((name) => {
    const claim = cell.claims.find((each) => each.claim === name);
    return claim === undefined ? '' : entryOf(claim);
  });
  const told = line(isSame || isLong ? '' : row, cell.column, claims);
  return isLong && !isSame ? [row, told] : [told];
}

function rowText({ fault, variant }: CrossCheckCell): string {
  return variant === undefined ? fault : `${fault}, ${variant}`;
}

/** `✗ 3/3`, `✗ ≠ 0/3` where they differ, and in a ring where nobody has said why. */
function entryOf({ simulator, laboratory, onlySeenBy, isKnown }: CrossCheckClaim): string {
  const glyph =
    simulator.hits > 0
      ? OUTCOMES.breaks.glyph
      : OUTCOMES[simulator.of > 0 ? 'holds' : 'inert'].glyph;
  const strikes = `${laboratory.hits}/${laboratory.of}`;
  if (onlySeenBy === null) return `${glyph} ${strikes}`;
  const different = `${glyph} ≠ ${strikes}`;
  return isKnown ? different : `(${different})`;
}

function line(row: string, column: string, claims: readonly string[]): string {
  const padded = claims.map((text) => text.padEnd(CLAIM_WIDTH)).join('');
  return `${row.padEnd(ROW_WIDTH - 1)} ${column.padEnd(COLUMN_WIDTH)}${padded}`.trimEnd();
}
