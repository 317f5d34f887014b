import type { FaultId } from '@holdfast/core';
import * as Plot from '@observablehq/plot';
import type { LabCell, LabReport } from '../evaluation/report.ts';
import { drawn, INK, SOFT, WIDTH } from './drawn.ts';
import { shownMs } from './html.ts';

/** No logarithm of nothing; probes rest 10 ms between two rounds. */
const LEAST_MS = 5;

type Figured = LabCell & { readonly figures: NonNullable<LabCell['figures']> };

function figured({ cells }: LabReport): readonly Figured[] {
  return cells.filter(
    (cell): cell is Figured => cell.figures !== null && cell.column !== 'no-lock',
  );
}

/** How long healthy clients were not served: under each fault, backend by backend. */
export function outageChart(report: LabReport): string {
  const longestMs = Math.max(LEAST_MS, ...figured(report).flatMap(({ figures }) => known(figures)));
  const endMs = 2 * longestMs;
  const rows = report.rows.flatMap((fault) => outagesUnder(fault, figured(report), endMs));
  if (rows.length === 0) return '';
  return drawn({
    width: WIDTH,
    height: 60 + 18 * rows.length,
    marginLeft: 290,
    marginRight: 210,
    x: {
      type: 'log',
      domain: [LEAST_MS, endMs],
      label: 'ms without service, logarithmic',
      grid: true,
    },
    y: { label: null, domain: rows.map(({ name }) => name), tickSize: 0 },
    marks: [
      Plot.ruleY(
        rows.filter(({ isFirst }) => isFirst),
        { y: 'name', dy: -9, stroke: 'var(--line)' },
      ),
      Plot.ruleY(rows, { x1: 'median', x2: 'max', y: 'name', stroke: SOFT, strokeWidth: 2 }),
      Plot.dot(rows, { x: 'median', y: 'name', r: 4, fill: INK }),
      Plot.tickX(
        rows.filter(({ p95 }) => p95 < endMs),
        { x: 'p95', y: 'name', stroke: INK, strokeWidth: 2 },
      ),
      Plot.text(
        rows.filter(({ max }) => max === endMs),
        { x: 'max', y: 'name', dx: -2, fill: SOFT, text: () => '▶' },
      ),
      Plot.text(rows, {
        x: 'max',
        y: 'name',
        dx: 6,
        textAnchor: 'start',
        fill: INK,
        text: ({ shown }: Outage) => shown,
      }),
    ],
  });
}

interface Outage {
  readonly name: string;
  readonly isFirst: boolean;
  readonly median: number;
  readonly p95: number;
  readonly max: number;
  readonly shown: string;
}

/** What did not end while anybody looked goes on to the end of the chart, and says so. */
function outagesUnder(fault: FaultId, cells: readonly Figured[], endMs: number): readonly Outage[] {
  const own = cells.filter(
    (cell) => cell.fault === fault && cell.figures.unavailableMs.samples > 0,
  );
  return own.map(({ column, figures: { unavailableMs } }, index) => {
    const { median, p95, max, samples, unended } = unavailableMs;
    const open = unended === 0 ? '' : `${unended} of ${samples} not while we looked`;
    return {
      median: least(median ?? endMs),
      p95: least(p95 ?? endMs),
      max: least(max ?? endMs),
      name: `${fault} · ${column}`,
      isFirst: index === 0,
      shown: [median === null ? '' : shownMs(median), open]
        .filter((text) => text !== '')
        .join('; '),
    };
  });
}

function least(ms: number): number {
  return Math.max(LEAST_MS, ms);
}

function known({ unavailableMs: { median, p95, max } }: Figured['figures']): readonly number[] {
  return [median, p95, max].flatMap((ms) => ms ?? []);
}

/** How long each acquisition took, before, during and after the leading server dies. */
export function courseChart(report: LabReport): string {
  const cells = figured(report).filter(({ fault }) => fault === 'failover');
  const points = cells.flatMap(({ column, figures: { course } }) =>
    course.points.map(({ atMs, tookMs }) => ({
      column,
      atS: atMs / 1_000,
      endS: (atMs + tookMs) / 1_000,
      tookMs: Math.max(0.1, tookMs),
    })),
  );
  if (points.length === 0) return '';
  const windows = cells.map(({ column, figures }) => ({
    column,
    fromS: 0,
    untilS: figures.course.outageMs / 1_000,
  }));
  return drawn({
    width: WIDTH,
    height: 60 + 130 * cells.length,
    marginLeft: 60,
    marginRight: 160,
    x: { label: 's, 0 is when the leading server is killed', grid: true },
    y: { type: 'log', label: 'ms to acquire', grid: true },
    fy: { label: null },
    marks: [
      Plot.frame({ stroke: 'var(--line)' }),
      Plot.rectX(windows, {
        fy: 'column',
        x1: 'fromS',
        x2: 'untilS',
        fill: SOFT,
        fillOpacity: 0.18,
      }),
      Plot.ruleX([0], { stroke: INK, strokeDasharray: '4 3' }),
      Plot.dot(points, { fy: 'column', x: 'endS', y: 'tookMs', r: 2, fill: INK, fillOpacity: 0.6 }),
    ],
  });
}
