import { OUTCOMES } from '../draw/index.ts';
import { type Matrix, type Row, rowName } from './matrix.ts';
import { expectedOfPhases, type MovingClaim, movingRows } from './moving.ts';

/** The section of the page about clients in mixed phases of a move. */
export function movingSection(matrix: Matrix): readonly string[] {
  const { about, phases } = matrix.moving;
  return [...about, tableOf(matrix), Object.entries(phases).map(claimText).join('\n')];
}

function tableOf(matrix: Matrix): string {
  const phases = Object.entries(matrix.moving.phases);
  const names = ['fault', ...phases.map(([name]) => name)];
  const body = movingRows(matrix).map((row) => [
    rowName(row),
    ...phases.map(([, claim]) => glyphOf(claim, row)),
  ]);
  return [names, names.map(() => '---'), ...body]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function glyphOf(claim: MovingClaim, row: Row): string {
  return OUTCOMES[expectedOfPhases(claim, row)].glyph;
}

function claimText([name, { expect, why, except = {} }]: [string, MovingClaim]): string {
  const exceptions = Object.entries(except).map(([row, reason]) => ` Except ${row}: ${reason}`);
  return `- **${name}** ${OUTCOMES[expect].glyph} ${why}${exceptions.join('')}`;
}
