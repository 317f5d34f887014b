import { stripVTControlCharacters, styleText } from 'node:util';
import { expect, test } from 'vitest';
import { formatCounts } from '../src/compare/format-cost.ts';
import { formatReport, formatStories } from '../src/compare/format-report.ts';
import { safetyRow } from '../src/compare/format-safety.ts';
import { coloured, paintFor, plain } from '../src/compare/paint.ts';
import { mark, OUTCOMES } from '../src/draw/index.ts';
import { rowName } from '../src/matrix/index.ts';
import { EXAMPLE } from './support/report.ts';

test('a report reads as it is expected to (write it with vitest -u)', async () => {
  await expect(formatReport(EXAMPLE, plain)).toMatchFileSnapshot('expected/report.txt');
});

test('colour changes nothing but colour', () => {
  const text = formatReport(EXAMPLE, coloured);

  expect(stripVTControlCharacters(text)).toBe(formatReport(EXAMPLE, plain));
});

test('the name of a lock has the colour of its backend, and its client has none', () => {
  const text = formatReport(EXAMPLE, coloured);

  expect(text).toContain(styleText(['bold', 'blue'], 'redis-simple'));
  expect(text).toContain(styleText('dim', 'ioredis'));
});

test('no line is wider than a hundred columns, and none ends in blanks', () => {
  for (const line of formatReport(EXAMPLE, plain).split('\n')) {
    expect(line.length).toBeLessThanOrEqual(100);
    expect(line).toBe(line.trimEnd());
  }
});

test('every outcome has a glyph of one column, and only the two empty ones share it', () => {
  const glyphs = Object.values(OUTCOMES).map(({ glyph }) => glyph);

  expect(glyphs.every((glyph) => glyph.length === 1)).toBe(true);
  expect(new Set(glyphs).size).toBe(glyphs.length - 1);
  expect(mark('breaks', true)).toBe('(✗)');
});

test('colour is for terminals whose user has not turned it off', () => {
  expect(paintFor({ isTTY: true }, {})).toBe(coloured);
  expect(paintFor({ isTTY: true }, { NO_COLOR: '1' })).toBe(plain);
  expect(paintFor({ isTTY: true }, { NO_COLOR: '' })).toBe(coloured);
  expect(paintFor({ isTTY: true }, { TERM: 'dumb' })).toBe(plain);
  expect(paintFor({}, {})).toBe(plain);
});

test.each<[number, number, string, string]>([
  [2_000, 1, '0.15 %', '1, 0.05 %'],
  [100_000, 812, '0.003 %', '812, 0.81 %'],
  [1_000_000_000, 12_345, '0.0000003 %', '12 345, 0.0012 %'],
  [2, 2, '100 %', '2, 100 %'],
])('of %i schedules %i are shown as a rate, and none as a bound', (trials, late, bound, rate) => {
  const [, run] = EXAMPLE.runs;
  const safety = (run?.safety ?? []).slice(0, 2).map((cell) => ({
    ...cell,
    evidence: cell.evidence && { ...cell.evidence, trials, beliefViolated: late },
  }));

  const [title, , row] = formatCounts({ ...run!, safety }, plain);

  expect(title).toMatch(new RegExp(`none means, at 95 %, fewer than ${bound}$`));
  expect(row).toMatch(new RegExp(`^pause on redis-simple +none +${rate} +none$`));
});

test('a row whose name is too long for its column has it on a line of its own, above its stories', () => {
  const run = EXAMPLE.runs[0]!;
  const [row] = run.rows;
  const long = { ...row!, variant: 'all servers, a newcomer' };
  const safety = [{ ...run.safety[0]!, ...long, stories: ['zk-newcomer'] }];

  const lines = formatStories({ ...run, rows: [long], safety }, plain);

  expect(lines.slice(1)).toEqual([rowName(long), `${' '.repeat(27)}zk-newcomer`]);
});

test('the outcomes of such a row stand under their columns all the same', () => {
  const run = EXAMPLE.runs.find(({ how }) => how === 'simulated')!;
  const [row] = run.rows;
  const cells = run.safety.filter((cell) => rowName(cell) === rowName(row!));
  const long = { ...row!, variant: 'all servers, a newcomer' };

  const [short = ''] = safetyRow(run, row!, cells, plain);
  const [name, outcomes = ''] = safetyRow(run, long, cells, plain);

  expect(name).toBe(rowName(long));
  expect(outcomes.trimStart()).toBe(short.slice(27).trimStart());
  expect(outcomes.indexOf(outcomes.trimStart())).toBe(
    short.length - short.slice(27).trimStart().length,
  );
});
