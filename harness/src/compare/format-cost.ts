import { columnHeads, widthsOf } from './format-safety.ts';
import type { Paint } from './paint.ts';
import type { Figure, MetricId, Run } from './report.ts';
import { line, type Printed, printed, type Widths } from './table.ts';

export interface Metric {
  readonly id: MetricId;
  /** As the row is called, with its unit. */
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

/** The part Cost: a row for each metric, with how it was got at the end of the row. */
export function formatCost(run: Run, paint: Paint): string[] {
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
