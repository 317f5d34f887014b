import * as Plot from '@observablehq/plot';
import { drawn, HATCHED, INK, type Size, SOFT } from '../../src/lab/report/drawn.ts';
import { escaped, tag } from '../../src/lab/report/html.ts';
import { pageStyle } from '../../src/lab/report/style.ts';

/** A series over time. */
export interface ChartedSeries {
  readonly name: string;
  /** A colour of the page, such as `blue`. */
  readonly colour: string;
  readonly points: readonly { readonly s: number; readonly value: number }[];
}

/** Something that was done, or found, in its own row. */
export interface ChartedSpan {
  readonly row: string;
  readonly fromS: number;
  readonly untilS: number;
  readonly colour: string;
}

export interface TimelineChart {
  readonly title: string;
  readonly text: string;
  readonly untilS: number;
  /** Rows from the top. */
  readonly rows: readonly string[];
  readonly spans: readonly ChartedSpan[];
  /** Spans that are hatched behind the rows. */
  readonly windows: readonly Pick<ChartedSpan, 'fromS' | 'untilS'>[];
  /** Panels above and below the rows, each with a label of its own axis. */
  readonly above: ChartedPanel;
  readonly below: ChartedPanel;
}

export interface ChartedPanel {
  readonly label: string;
  readonly series: readonly ChartedSeries[];
}

const ROW_HEIGHT = 20;

/** A page with one chart for each run: what was done and found, between what clients got and what they used. */
export function timelinePage(title: string, charts: readonly TimelineChart[]): string {
  const parts = charts.map(
    (chart) =>
      `${tag('h2', {}, escaped(chart.title))}${tag('p', {}, escaped(chart.text))}${drawn((size) => panels(chart, size))}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><link rel="icon" href="data:,"><style>${pageStyle()}</style></head>
<body><h1>${escaped(title)}</h1>
${parts.join('\n')}
</body></html>
`;
}

function panels(chart: TimelineChart, size: Size): readonly Plot.PlotOptions[] {
  return [
    linesOf(chart, chart.above, size),
    rowsOf(chart, size),
    { ...linesOf(chart, chart.below, size), marginBottom: 36, x: axisOf(chart) },
  ];
}

function axisOf({ untilS }: TimelineChart): Plot.ScaleOptions {
  return { domain: [0, untilS], label: 's since the start', grid: true };
}

function marginsOf({ name }: Size): Plot.PlotOptions {
  return { marginLeft: name === 'wide' ? 240 : 130, marginRight: name === 'wide' ? 90 : 40 };
}

function linesOf(
  chart: TimelineChart,
  { label, series }: ChartedPanel,
  size: Size,
): Plot.PlotOptions {
  return {
    ...marginsOf(size),
    height: 130,
    marginTop: 26,
    marginBottom: 8,
    x: { domain: [0, chart.untilS], axis: null },
    y: { label, zero: true, ticks: 4, grid: true },
    marks: series.flatMap(({ name, colour, points }) => [
      Plot.line(points, { x: 's', y: 'value', stroke: `var(--${colour})`, strokeWidth: 1.2 }),
      Plot.text(points.slice(-1), {
        x: 's',
        y: 'value',
        dx: 4,
        textAnchor: 'start',
        fill: `var(--${colour})`,
        text: () => name,
      }),
    ]),
  };
}

function rowsOf({ rows, spans, windows, untilS }: TimelineChart, size: Size): Plot.PlotOptions {
  return {
    ...marginsOf(size),
    height: 20 + ROW_HEIGHT * rows.length,
    marginTop: 8,
    marginBottom: 8,
    x: { domain: [0, untilS], axis: null },
    y: { domain: rows, label: null, tickSize: 0 },
    marks: [
      Plot.rectX(windows, { x1: 'fromS', x2: 'untilS', fill: HATCHED }),
      Plot.ruleY(rows, { stroke: SOFT, strokeOpacity: 0.25 }),
      Plot.rect(spans, {
        x1: 'fromS',
        x2: 'untilS',
        y: 'row',
        inset: 3,
        fill: (span: ChartedSpan) => `var(--${span.colour})`,
      }),
      Plot.tickX(spans, {
        x: 'fromS',
        y: 'row',
        inset: 3,
        stroke: (span: ChartedSpan) => (span.colour === 'ink' ? INK : `var(--${span.colour})`),
        strokeWidth: 1.5,
      }),
    ],
  };
}
