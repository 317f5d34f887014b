import { OUTCOMES, type OutcomeId } from '../draw/index.ts';
import { columnNamed, signOf } from '../locks/index.ts';
import { meaningOfFault } from '../simulator/index.ts';
import {
  ALWAYS,
  type Always,
  CLAIMED,
  type Claimed,
  cellIn,
  type Difference,
  type ExpectedCell,
  isTried,
  labCellName,
  type Matrix,
  type MatrixColumn,
  type Row,
  rowName,
  rowsOf,
} from './matrix.ts';
import { movingSection } from './moving-section.ts';

/** The page `docs/evidence/matrix.md`, generated from the matrix alone. */
export function matrixPage(matrix: Matrix): string {
  const parts = [
    '# What each fault does to each lock',
    '<!-- Made from docs/matrix.json; `vitest -u` on harness/test/matrix-page.test.ts writes it. -->',
    ...matrix.about,
    legend(),
    table(matrix),
    columnMeanings(matrix),
    `\`${matrix.control.column}\` is the control, the same work without a lock. ${matrix.control.why}`,
    AGAIN,
    '## Row by row',
    'A reason that an earlier lock of a row has is not repeated, one that a lock has in an earlier row is named by that row, and a claim without anything to add has no line, nor has a lock that a fault does not concern for the reason of an earlier row. In brackets: the mutant that the same schedules detect. Reached: what some of the schedules have to come to.',
    ...rowParts(matrix),
    '## Reached in other ways',
    ...matrix.topologies.about,
    ...topologiesPart(matrix),
    '## What is kept in every row',
    list(ALWAYS.map((kept) => alwaysPart(kept, matrix))),
    '## Clients in mixed phases of a move',
    ...movingSection(matrix),
    '## Differences on real servers',
    DIFFERENCES,
    list(matrix.differences.map(differencePart)),
    '## The mutants',
    'A mutant is a lock with one defect. It shows that the cells that name it can fail: the schedules under which the correct lock holds detect it. Mutants are in `test/broken`.',
    list(Object.entries(matrix.mutants).map(([name, wrong]) => `\`${name}\`: ${wrong}`)),
    'These are detected by contention alone, without the fault of the rows that name them:',
    list(Object.entries(matrix.contention).map(([name, why]) => `\`${name}\`: ${why}`)),
  ];
  return `${parts.join('\n\n')}\n`;
}

const AGAIN = `## See for yourself

- \`npx holdfast compare\` runs all of it, and rings what is not as expected; \`--faults pause,failover\` and \`--backends redlock\` run a part, \`--with ./my-lock.js\` adds your lock, \`--nodes 7\` redlock on seven servers, \`--deep\` runs 2 000 schedules per cell and prints the rates, \`--shard 3/8\` divides them among machines ([how](../testing/sharding.md)).
- \`npx holdfast find LOCK --fault ID\` searches one cell and shows the violation as a story; \`--fenced\` searches the resource that compares tokens.
- \`npx holdfast replay NAME\` replays a story.
- \`npm test\` runs 100 schedules per cell, from a seed that detects its mutant, and searches from two seeds if a lock must break. \`npm run test:deep\` searches from 20 and needs 100 000 per cell: it counts those that a [campaign](campaign.md) has run with this code, and runs the rest (\`HOLDFAST_AGAIN=1\`: all of them, for hours). "None in N" bounds a rate, it does not mean never: at 95 % fewer than 3/N of such schedules.`;

const DIFFERENCES =
  '`npx holdfast compare --both` compares the verdicts of [the laboratory](../testing/lab.md) with those of the simulator. These are the only allowed differences, each with a story that shows it; any other difference makes the command fail, and more than five reasons make the build fail.';

function legend(): string {
  const entries: readonly OutcomeId[] = ['holds', 'late', 'breaks', 'inert', 'n/a'];
  const texts = entries.map((id) => `${OUTCOMES[id].glyph} ${OUTCOMES[id].meaning}`);
  return `${texts.join(' · ')}\n\nTwo glyphs: the lock, and a resource that compares its fencing tokens. One glyph: the lock has no tokens.`;
}

function alwaysPart(kept: Always, { always }: Matrix): string {
  const { why, mutants, rows } = always[kept];
  const mutantNames = Object.entries(mutants).map(([column, mutant]) => `${column}: \`${mutant}\``);
  return `**${kept}**: ${why} Judged on ${Object.keys(mutants).join(', ')}: by \`compare\` in every cell that it runs, by the tests in those in which another claim holds as well. The schedules of ${rows.join(' and ')} detect a mutant (${mutantNames.join(', ')}).`;
}

/** The rows that have cells for topologies, and the reasons. */
function topologiesPart(matrix: Matrix): readonly string[] {
  const { columns } = matrix.topologies;
  const rows = matrix.rows.filter(({ cells }) =>
    columns.some((each) => Object.hasOwn(cells, each)),
  );
  const head = ['fault', ...columns];
  const body = rows.map((row) => [
    rowName(row),
    ...columns.map((each) => (Object.hasOwn(row.cells, each) ? glyphsOf(cellIn(row, each)) : '')),
  ]);
  const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`);
  const reasons = columns.map((column) => {
    const earlier = new Map<string, string>();
    const cells = rowsOf(matrix, column).map((row) => reasonsIn(row, column, earlier));
    return `**${column}**: ${columnNamed(column).meaning}.\n\n${list(cells)}`;
  });
  return [lines.join('\n'), ...reasons];
}

function reasonsIn(row: Row, column: MatrixColumn, earlier: Map<string, string>): string {
  const given: Given = { row: rowName(row), here: new Set(), earlier };
  return cellPart(row, column, given).replace(column, rowName(row));
}

function table({ rows, columns }: Matrix): string {
  const names = columns.map((column) => `${signOf(column).glyph} ${column}`);
  const head = ['fault', ...names].map((name) => ` ${name} `).join('|');
  const line = ['fault', ...columns].map(() => '---').join('|');
  const body = rows.map((row) => {
    const cells = columns.map((column) => ` ${glyphsOf(cellIn(row, column))} `);
    return `| ${linkTo(row)} |${cells.join('|')}|`;
  });
  return [`|${head}|`, `|${line}|`, ...body].join('\n');
}

function linkTo(row: Row): string {
  const anchor = rowName(row)
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
  return `[${rowName(row)}](#${anchor})`;
}

function glyphsOf(cell: ExpectedCell): string {
  const { validity, belief, resource } = cell.claims;
  const lock: OutcomeId =
    validity.expect === 'holds' && belief.expect === 'breaks' ? 'late' : validity.expect;
  const fence = resource.expect === 'holds' || resource.expect === 'breaks';
  return `${OUTCOMES[lock].glyph}${fence ? ` ${OUTCOMES[resource.expect].glyph}` : ''}`;
}

function columnMeanings({ columns }: Matrix): string {
  return list(
    columns.map(
      (column) => `${signOf(column).glyph} **${column}**: ${columnNamed(column).meaning}`,
    ),
  );
}

function rowParts(matrix: Matrix): readonly string[] {
  const earlier = new Map<string, string>();
  return matrix.rows.flatMap((row) => rowPart(row, matrix, earlier));
}

function rowPart(row: Row, { columns }: Matrix, earlier: Map<string, string>): readonly string[] {
  const given: Given = { row: rowName(row), here: new Set(), earlier };
  return [
    `### ${rowName(row)}`,
    `${sentence(meaningOfFault(row.fault))}.${searchHint(row)}`,
    list([
      ...columns
        .filter((column) => isTried(cellIn(row, column)))
        .map((column) => cellPart(row, column, given)),
      ...untriedParts(row, columns, earlier),
    ]),
  ];
}

/** The columns in which the fault is not played, together if their reasons are the same, and without those of an earlier row. */
function untriedParts(
  row: Row,
  columns: readonly MatrixColumn[],
  earlier: Map<string, string>,
): readonly string[] {
  const whyOf = (column: MatrixColumn) => cellIn(row, column).claims.validity.why;
  const isNew = (column: MatrixColumn): boolean => {
    const key = `${column} ${whyOf(column)}`;
    if (earlier.has(key)) return false;
    earlier.set(key, rowName(row));
    return true;
  };
  const untried = columns.filter((column) => !isTried(cellIn(row, column)) && isNew(column));
  return Array.from(new Set(untried.map(whyOf)), (why) => {
    const same = untried.filter((column) => whyOf(column) === why);
    const names = same.map((column) => `**${column}** ${glyphsOf(cellIn(row, column))}`);
    return `${names.join(', ')} ${why}`;
  });
}

/** The reasons that the page has given before a cell. */
interface Given {
  readonly row: string;
  /** In this row. */
  readonly here: Set<string>;
  /** The first row in which a lock has a reason for a claim. */
  readonly earlier: Map<string, string>;
}

function cellPart(row: Row, column: MatrixColumn, given: Given): string {
  const cell = cellIn(row, column);
  const { validity } = cell.claims;
  const glyphs = `**${column}** ${glyphsOf(cell)}`;
  if (!isTried(cell)) return `${glyphs} ${validity.why}`;
  const claims = CLAIMED.filter((claimed) => cell.claims[claimed].expect !== 'n/a');
  const texts = claims
    .map((claimed) => claimText(cell, claimed, whyIn(cell, claimed, column, given)))
    .filter((text) => text !== '')
    .map((text) => `  - ${text}`);
  return [glyphs, ...texts, ...reachedStates(cell)].join('\n');
}

/** The reason of a claim, or the earlier row that has it if that is shorter; empty where this row has said it. */
function whyIn(
  { claims }: ExpectedCell,
  claimed: Claimed,
  column: MatrixColumn,
  { row, here, earlier }: Given,
): string {
  const { why } = claims[claimed];
  if (here.has(why)) return '';
  here.add(why);
  const key = `${column} ${claimed} ${why}`;
  const before = earlier.get(key);
  if (before === undefined) earlier.set(key, row);
  const reference = `as under ${before}.`;
  return ` ${before === undefined || why.length <= reference.length ? why : reference}`;
}

/** Empty if there is nothing to add. */
function claimText({ claims }: ExpectedCell, claimed: Claimed, reason: string): string {
  const { expect, mutant, story } = claims[claimed];
  const detects = mutant === undefined ? '' : ` (\`${mutant}\`)`;
  const replay = story === undefined ? '' : ` \`npx holdfast replay ${story}\``;
  const more = `${reason}${detects}${replay}`;
  return more === '' ? '' : `${claimed} ${expect}:${more}`;
}

function reachedStates({ sometimes }: ExpectedCell): readonly string[] {
  return sometimes.length === 0 ? [] : [`  - reached: ${sometimes.join(', ')}.`];
}

function differencePart({ cells, claims, onlySeenBy, why, replay }: Difference): string {
  const places = cells.map(labCellName).join(', ');
  return `**${places}**, ${claims.join(' and ')}: only the ${onlySeenBy} sees it violated. ${why} \`npx holdfast replay ${replay}\``;
}

/** The command that searches the cell; none for a variant, which the command line cannot express. */
function searchHint({ fault, variant }: Row): string {
  return variant === undefined ? ` Search: \`npx holdfast find LOCK --fault ${fault}\`` : '';
}

function list(entries: readonly string[]): string {
  return entries.map((entry) => `- ${entry}`.trimEnd()).join('\n');
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
