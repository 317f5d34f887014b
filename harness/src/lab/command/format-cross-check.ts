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

/** Formats both verdicts side by side, cell by cell, then every difference with its reason. */
export function formatCrossCheck(both: CrossCheck): readonly string[] {
  return [
    '',
    'Side by side  what the simulator finds, and in how many trials the lab saw it',
    `              simulator: ${legend(both)}`,
    '',
    line('', '', Object.values(CLAIM_NAMES)),
    ...both.cells.flatMap((cell, n) => rowOf(cell, both.cells[n - 1])),
    '',
    ...differencesIn(both).map(
      ({ cell, claims }) => `≠ ${nameOf(cell)}: ${differenceText(claims)}`,
    ),
    ...both.known.flatMap(({ cells, why, replay, occurred }) => [
      `${occurred ? 'Known' : 'Known, but not seen in this run'}: ${cells.join(', ')}. ${why}`,
      `  npx holdfast replay ${replay}`,
    ]),
    conclusionOf(both),
  ];
}

/** Explains the glyphs of the simulator. “none” always comes with the number of schedules. */
function legend({ cells }: CrossCheck): string {
  const empty = cells.flatMap(({ claims }) =>
    claims.flatMap(({ simulator: { hits, of } }) => (hits === 0 && of > 0 ? [of] : [])),
  );
  const { breaks, holds, inert } = OUTCOMES;
  const noneText =
    empty.length === 0 ? [] : [`${holds.glyph} none in ${Math.min(...empty)} schedules or more`];
  return [`${breaks.glyph} found`, ...noneText, `${inert.glyph} cannot matter`].join(', ');
}

/** Formats one row. A name too long for its column gets its own line. */
function rowOf(cell: CrossCheckCell, before: CrossCheckCell | undefined): readonly string[] {
  const row = rowText(cell);
  const isSame = before !== undefined && rowText(before) === row;
  const isLong = row.length >= ROW_WIDTH;
  const claims = Object.keys(CLAIM_NAMES).map((name) => {
    const claim = cell.claims.find((each) => each.claim === name);
    return claim === undefined ? '' : entryOf(claim);
  });
  const entry = line(isSame || isLong ? '' : row, cell.column, claims);
  return isLong && !isSame ? [row, entry] : [entry];
}

function rowText({ fault, variant }: CrossCheckCell): string {
  return variant === undefined ? fault : `${fault}, ${variant}`;
}

/** `✗ 3/3`; `✗ ≠ 0/3` if they differ; in a ring if the matrix does not say why. */
function entryOf({ simulator, laboratory, onlySeenBy, isKnown }: CrossCheckClaim): string {
  const glyph =
    simulator.hits > 0
      ? OUTCOMES.breaks.glyph
      : OUTCOMES[simulator.of > 0 ? 'holds' : 'inert'].glyph;
  const trials = `${laboratory.hits}/${laboratory.of}`;
  if (onlySeenBy === null) return `${glyph} ${trials}`;
  const different = `${glyph} ≠ ${trials}`;
  return isKnown ? different : `(${different})`;
}

function line(row: string, column: string, claims: readonly string[]): string {
  const padded = claims.map((text) => text.padEnd(CLAIM_WIDTH)).join('');
  return `${row.padEnd(ROW_WIDTH - 1)} ${column.padEnd(COLUMN_WIDTH)}${padded}`.trimEnd();
}
