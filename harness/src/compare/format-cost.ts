import { isControl } from '../locks/index.ts';
import { rowName } from '../matrix/index.ts';
import { columnHeads, widthsOf } from './format-safety.ts';
import type { Paint } from './paint.ts';
import type { Cell, ComparedRun, Evidence, Figure, MetricId } from './report.ts';
import { line, type Printed, printed, type Widths } from './table.ts';

export interface Metric {
  readonly id: MetricId;
  /** The label of the row, with its unit. */
  readonly name: string;
  readonly digits: number;
}

/** The rows of the part Cost, in order. */
const METRICS: readonly Metric[] = [
  { id: 'acquire-round-trips', name: 'acquire, round trips', digits: 0 },
  { id: 'release-round-trips', name: 'release, round trips', digits: 0 },
  { id: 'acquire-p50-ms', name: 'acquire p50, ms', digits: 2 },
  { id: 'acquire-p99-ms', name: 'acquire p99, ms', digits: 2 },
  { id: 'contended-acquisitions-per-s', name: 'acquisitions/s, contended', digits: 0 },
  { id: 'takeover-ms', name: 'takeover after crash, ms', digits: 0 },
];

/** The part Cost: a row for each metric, which ends with how it was measured. */
export function formatCost(run: ComparedRun, paint: Paint): string[] {
  const columns = run.columns.filter(({ id }) => run.cost.some(({ column }) => column === id));
  if (columns.length === 0) return [];
  const widths = widthsOf(run);
  const heads = columnHeads(columns, paint, widths);
  const rows = METRICS.map((metric) => {
    const figures = columns.map(({ id }) =>
      run.cost.find((figure) => figure.metric === metric.id && figure.column === id),
    );
    return row(metric, figures, { paint, widths });
  });
  const [first = '', ...rest] = heads;
  return [`${paint.bold('Cost')}${first.slice(4)}`, ...rest, ...rows];
}

function row(
  metric: Metric,
  figures: readonly (Figure | undefined)[],
  { paint, widths }: { readonly paint: Paint; readonly widths: Widths },
): string {
  const known = figures.flatMap((figure) =>
    figure === undefined || figure.value === null ? [] : figure,
  );
  const how = [...new Set(known.map((figure) => `${figure.how}, ${figure.by}`))].join('; ');
  const cells = figures.map((figure) => printed(` ${number(metric, figure)}`));
  return line(printed(metric.name), [...cells, dimmed(how, paint)], widths);
}

function dimmed(text: string, paint: Paint): Printed {
  return printed(text, paint.dim(text));
}

function number({ digits }: Metric, figure: Figure | undefined): string {
  if (figure === undefined || figure.value === null) return '–';
  return figure.value.toFixed(digits).replace(/\B(?=(?:\d{3})+(?!\d)(?<!\.\d*))/g, ' ');
}

const WIDTHS: Widths = { label: 42, cell: 13 };
const HEADS = ['two valid', 'late', 'fence broken'];

interface Counted {
  readonly cell: Cell;
  readonly evidence: Evidence;
}

/** The part Counts: for each cell the number and share of schedules with violations. */
export function formatCounts({ safety, counts = false }: ComparedRun, paint: Paint): string[] {
  // The control has no leases to count.
  const counted = safety.flatMap((cell) =>
    cell.evidence === null || isControl(cell.column) ? [] : { cell, evidence: cell.evidence },
  );
  if (!counts || counted.length === 0) return [];
  const trials = Math.min(...counted.map(({ evidence }) => evidence.trials));
  const what = `of ${grouped(trials)} schedules per cell; none means, at 95 %, fewer than ${percent(3, trials)}`;
  const heads = HEADS.map((head) => printed(head, paint.dim(head)));
  return [
    `${paint.bold('Counts')}  ${paint.dim(what)}`,
    line(printed(''), heads, WIDTHS),
    ...counted.map(rowOf),
  ];
}

function rowOf({ cell, evidence }: Counted): string {
  const { trials, validityViolated, beliefViolated, fencedViolated } = evidence;
  const rates = [validityViolated, beliefViolated, fencedViolated].map((n) => rate(n, trials));
  return line(printed(`${rowName(cell)} on ${cell.column}`), rates, WIDTHS);
}

/** `12, 0.6 %`. */
function rate(violated: number | null, trials: number): Printed {
  if (violated === null) return printed('–');
  return printed(violated === 0 ? 'none' : `${grouped(violated)}, ${percent(violated, trials)}`);
}

/** A percentage with two significant digits, never as `3e-7`. */
function percent(part: number, whole: number): string {
  const value = Math.min(100, (100 * part) / whole);
  const digits = Math.max(0, 1 - Math.floor(Math.log10(value)));
  const text = value.toFixed(digits);
  return `${digits === 0 ? text : text.replace(/\.?0+$/, '')} %`;
}

/** `100 000`. */
export function grouped(n: number): string {
  return String(n).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ');
}
