import type { Paint } from '../compare/paint.ts';
import { wrapped } from '../compare/table.ts';
import type { Figures } from './figures.ts';
import { type Chart, flawsOf, type SaleReport, type StepResult } from './report.ts';
import { STEPS } from './steps.ts';

const WIDTH = 96;
const INDENT = 4;
const HEAD = 'Flash sale  '.length;
const NAME = Math.max(...STEPS.map(({ id }) => id.length)) + 1;

interface Heading {
  readonly text: string;
  readonly width: number;
  readonly cell: (figures: Figures) => string;
}

const HEADINGS: readonly Heading[] = [
  { text: 'sold', width: 5, cell: ({ sold }) => `${sold}` },
  { text: 'over', width: 5, cell: ({ oversold }) => some(oversold) },
  { text: 'under', width: 6, cell: ({ undersold }) => some(undersold) },
  { text: 'twice', width: 6, cell: ({ duplicates }) => some(duplicates) },
  { text: 'stolen', width: 7, cell: ({ stolen }) => some(stolen) },
  { text: 'stuck', width: 6, cell: ({ deadlocked }) => some(deadlocked) },
  { text: 'refused', width: 8, cell: ({ refused }) => some(refused) },
  { text: 'failed', width: 7, cell: ({ failed }) => some(failed) },
  { text: 's', width: 7, cell: ({ seconds }) => seconds.toFixed(seconds < 1 ? 3 : 2) },
  { text: 'sales/s', width: 8, cell: ({ salesPerSecond }) => round(salesPerSecond) },
  { text: 'p99 ms', width: 7, cell: ({ p99Ms }) => round(p99Ms) },
];

/** The meaning of the columns that need words. */
export const LEGEND: readonly string[] = [
  'over, under: sold beyond the stock, left over despite demand · twice: orders of an item sold before',
  'stolen: releases that removed another client’s lock · stuck: waiting when the sale was stopped',
  'refused: told that it is sold out · failed: a conflict, a lost lock, a crashed process',
];

/** Formats what is sold, and where. */
export function formatHead(report: Pick<SaleReport, 'by' | 'settings'>, paint: Paint): string[] {
  const { stock, requests, users, apps, ttlMs, workMs } = report.settings;
  const about = `${report.by}; a lease lasts ${ttlMs} ms, the work takes ${workMs} ms`;
  return [
    `${paint.bold('Flash sale')}  ${stock} in stock; ${requests} requests of ${users} users at once, round robin to ${apps} processes`,
    ...indented(about, HEAD).map((text) => paint.dim(text)),
    '',
  ];
}

export function formatHeadings(paint: Paint): string {
  return paint.bold(row('', (heading) => heading.text));
}

/** Formats the figures on one line, and below it what was run and the reason of its result. */
export function formatStep(held: StepResult, paint: Paint): string[] {
  const { id, what, during, why, figures, missing } = held;
  const meanwhile = during === undefined ? '' : `; meanwhile ${during}`;
  const words = [`${what}${meanwhile}`, figures === null ? `Not run: ${missing}.` : why];
  const notes = words.flatMap((text) => indented(text));
  return [
    stepHeadline(held, paint),
    ...notes.map((text) => paint.dim(text)),
    ...unexpectedNote(held, id),
  ];
}

function stepHeadline({ id, figures, asExpected }: StepResult, paint: Paint): string {
  if (figures === null) return `${paint.mark('n/a', false)}${id}`;
  const outcome = flawsOf(figures).length === 0 ? 'holds' : 'breaks';
  const line = row(id, (heading) => heading.cell(figures));
  return paint.mark(outcome, !asExpected) + line.slice(INDENT - 1);
}

/** Notes in words that a step did not show what it has to. */
function unexpectedNote(
  { shows, figures, asExpected, attempts }: StepResult,
  id: string,
): string[] {
  if (shows === null) return [];
  if (attempts > 1 && asExpected) return indented(`It showed at attempt ${attempts}.`);
  if (asExpected || figures === null) return [];
  const text =
    shows.length === 0
      ? `${id} should have sold without a flaw.`
      : `This run does not show it (${shows.join(', ')}): more requests might.`;
  return indented(text);
}

function row(name: string, cell: (heading: Heading) => string): string {
  const cells = HEADINGS.map((heading) => cell(heading).padStart(heading.width));
  return `${' '.repeat(INDENT - 1)}${name.padEnd(NAME)}${cells.join('')}`;
}

/** Formats a chart as a table with a column for each series, and a bar for each row. */
export function formatChart(chart: Chart, paint: Paint): string[] {
  const isConflict = chart.id === 'conflicts';
  const heads = isConflict
    ? ['conflicts', 'turned away', ...chart.series.map((name) => `${name}, sales/s`)]
    : chart.series.map((name) => `${name}, sales/s`);
  const rows = chart.points.map(({ at, figures }) => {
    const [first] = figures;
    const rates = figures.map(({ salesPerSecond }) => round(salesPerSecond));
    if (!isConflict || first === undefined) return [`${at}`, ...rates];
    return [`${at}`, percent(first.conflictShare), percent(rejectedCount(first)), ...rates];
  });
  const widths = [chart.axis, ...heads].map((text) => text.length + 2);
  const line = (cells: readonly string[]): string =>
    `   ${cells.map((text, i) => text.padStart(widths[i] ?? 0)).join('')}`;
  const most = Math.max(...chart.points.map(barOf));
  return [
    paint.bold(line([chart.axis, ...heads])),
    ...chart.points.map((point, i) =>
      `${line(rows[i] ?? [])}   ${bar(barOf(point) / most)}`.trimEnd(),
    ),
    ...indented(chart.why).map((text) => paint.dim(text)),
    ...(isConflict ? advice(chart) : []),
  ];

  function barOf({ figures: [first] }: Chart['points'][number]): number {
    if (first === undefined) return 0;
    return isConflict ? rejectedCount(first) : first.salesPerSecond;
  }
}

/** The share of conflicts up to which no customer was turned away, as measured. */
function advice({ points }: Chart): string[] {
  const fine = points.flatMap(({ figures: [first] }) =>
    first !== undefined && first.failed === 0 ? [first.conflictShare] : [],
  );
  if (fine.length === 0)
    return [`${' '.repeat(INDENT)}Measured here: customers were turned away throughout.`];
  const most = Math.max(...fine);
  return [
    `${' '.repeat(INDENT)}Measured here: with up to ${percent(most)} conflicts and three retries no customer was turned away.`,
  ];
}

function indented(text: string, indent = INDENT): string[] {
  return wrapped(text, 0, WIDTH - indent).map((line) => ' '.repeat(indent) + line);
}

function rejectedCount({ sold, failed }: Figures): number {
  return failed / Math.max(1, sold + failed);
}

const BAR = 24;

function bar(share: number): string {
  return '█'.repeat(Math.round(share * BAR));
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function some(count: number): string {
  return count === 0 ? '·' : `${count}`;
}

function round(value: number): string {
  return `${Math.round(value)}`;
}
