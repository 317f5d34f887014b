import type { FaultId } from '@holdfast/core/backend';
import * as Plot from '@observablehq/plot';
import { FAULT_GLYPH } from '../../draw/index.ts';
import { FAULTS } from '../../simulator/index.ts';
import { type CellWithFigures, cellsWithFigures } from '../evaluation/judge-lab-cell.ts';
import type { LabReport } from '../evaluation/report.ts';
import { colourOf, drawn, INK, type Size, SOFT } from './drawn.ts';
import { escaped, shownMs, signTag, tag } from './html.ts';

const SHOWN: readonly FaultId[] = FAULTS.all.flatMap(({ id, takesServiceAway }) =>
  takesServiceAway ? id : [],
);
/** The lower end of the logarithmic axis: below it there is only noise. */
const LEAST_MS = 0.1;

/** Charts throughput and latency over time, lock by lock, under each fault that takes servers away. */
export function availabilityCharts(report: LabReport): string {
  return SHOWN.filter((fault) => report.rows.includes(fault))
    .map((fault) => panelsUnder(fault, report))
    .join('\n');
}

/** Draws the panels of a fault, all with the same axes, so that they can be compared. */
function panelsUnder(fault: FaultId, report: LabReport): string {
  const cells = cellsWithFigures(report).filter(
    (cell) => cell.fault === fault && cell.figures.availability.points.length > 0,
  );
  const timelines = cells.map(chartedTimeline);
  const axes = {
    s: [
      Math.min(...timelines.map(({ fromS }) => fromS)),
      Math.max(...timelines.map(({ untilS }) => untilS)),
    ],
    perS: [0, Math.max(1, ...timelines.flatMap(({ steps }) => steps.map(({ perS }) => perS)))],
    ms: [
      LEAST_MS,
      2 * Math.max(1, ...timelines.flatMap(({ points }) => points.map(({ ms }) => ms))),
    ],
  } as const;
  return timelines
    .map(
      (timeline) =>
        `${tag('h3', {}, headOf(fault, timeline))}${drawn((size) => panel(timeline, axes, size))}`,
    )
    .join('\n');
}

function headOf(fault: FaultId, { column, description, outageMs, ended }: ChartedTimeline): string {
  const outage = ended
    ? `${shownMs(outageMs)} not served`
    : 'not served again before the trial ended';
  return `${signTag(column)}<b>${escaped(column)}, ${fault}</b> <span class="soft">${escaped(description)}: ${outage}</span>`;
}

interface ChartedTimeline {
  readonly column: string;
  readonly description: string;
  readonly outageMs: number;
  readonly ended: boolean;
  readonly fromS: number;
  readonly untilS: number;
  /** Relative to the fault; undefined in older reports. */
  readonly healedS: number | undefined;
  readonly silence: { readonly x1: number; readonly x2: number };
  readonly steps: readonly { readonly x1: number; readonly x2: number; readonly perS: number }[];
  readonly points: readonly { readonly s: number; readonly ms: number }[];
}

function chartedTimeline({
  column,
  figures: { availability: timeline, description },
}: CellWithFigures): ChartedTimeline {
  const points = timeline.points.map(({ atMs, tookMs }) => ({
    s: (atMs + tookMs) / 1_000,
    ms: Math.max(LEAST_MS, tookMs),
  }));
  const { rate = { fromMs: 0, stepMs: 1, granted: [] }, healedMs, outageMs, silence } = timeline;
  const { stepMs } = rate;
  const fromMs = timeline.fromMs ?? Math.min(...timeline.points.map(({ atMs }) => atMs));
  const untilMs = Math.max(
    timeline.untilMs ?? 0,
    silence?.untilMs ?? outageMs,
    ...timeline.points.map(({ atMs, tookMs }) => atMs + tookMs),
  );
  const stepOf = (count: number, index: number): ChartedTimeline['steps'][number] => ({
    x1: (rate.fromMs + index * stepMs) / 1_000,
    x2: (rate.fromMs + (index + 1) * stepMs) / 1_000,
    perS: (count * 1_000) / stepMs,
  });
  return {
    column,
    description,
    outageMs,
    ended: silence?.ended ?? true,
    fromS: fromMs / 1_000,
    untilS: untilMs / 1_000,
    healedS: healedMs === undefined ? undefined : healedMs / 1_000,
    silence: { x1: (silence?.fromMs ?? 0) / 1_000, x2: (silence?.untilMs ?? outageMs) / 1_000 },
    steps: rate.granted.map(stepOf),
    points,
  };
}

type Axes = Readonly<Record<'s' | 'perS' | 'ms', readonly [number, number]>>;

function panel(timeline: ChartedTimeline, axes: Axes, { name }: Size): readonly Plot.PlotOptions[] {
  const { column, steps, points } = timeline;
  const ink = colourOf(column);
  const margins = { marginLeft: 52, marginRight: name === 'wide' ? 20 : 8 };
  const x = { domain: axes.s };
  const latency: Plot.PlotOptions = {
    ...margins,
    height: 142,
    marginBottom: 42,
    x: { ...x, label: 's since the fault', labelOffset: 38, grid: true },
    y: {
      type: 'log',
      domain: axes.ms,
      ticks: [0.1, 1, 10, 100, 1_000, 10_000].filter((ms) => ms <= axes.ms[1]),
      tickFormat: (ms: number) => ms.toLocaleString('en'),
      label: 'ms to acquire',
      grid: true,
    },
    marks: [
      ...windows(timeline),
      Plot.dot(points, { x: 's', y: 'ms', r: 2, fill: ink, fillOpacity: 0.7, clip: true }),
    ],
  };
  if (steps.length === 0) return [latency];
  const throughput: Plot.PlotOptions = {
    ...margins,
    height: 96,
    marginTop: 30,
    marginBottom: 6,
    x: { ...x, axis: null },
    y: { domain: axes.perS, ticks: 3, label: 'acquired per s', grid: true },
    marks: [
      ...windows(timeline),
      Plot.rectY(steps, { x1: 'x1', x2: 'x2', y: 'perS', fill: ink, fillOpacity: 0.7 }),
      Plot.text([FAULT_GLYPH], {
        x: 0,
        frameAnchor: 'top',
        dy: -15,
        fill: INK,
        text: (glyph: string) => glyph,
      }),
    ],
  };
  return [throughput, latency];
}

/** Shades the time that the fault lasts, and hatches the time that the worst client is not served. */
function windows({ healedS, silence }: ChartedTimeline): readonly Plot.Markish[] {
  return [
    ...(healedS === undefined
      ? []
      : [
          Plot.rectX([{ x1: 0, x2: healedS }], {
            x1: 'x1',
            x2: 'x2',
            fill: SOFT,
            fillOpacity: 0.16,
          }),
          Plot.ruleX([healedS], { stroke: SOFT }),
        ]),
    Plot.rectX([silence], { x1: 'x1', x2: 'x2', fill: 'url(#hatch)' }),
    Plot.ruleX([0], { stroke: INK, strokeWidth: 1.5 }),
  ];
}
