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
  const rows = report.rows.flatMap((fault) => outagesUnder(fault, figured(report)));
  if (rows.length === 0) return '';
  return drawn({
    width: WIDTH,
    height: 60 + 18 * rows.length,
    marginLeft: 290,
    marginRight: 80,
    x: {
      type: 'log',
      domain: [LEAST_MS, 2 * Math.max(...rows.map(({ max }) => max))],
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
      Plot.tickX(rows, { x: 'p95', y: 'name', stroke: INK, strokeWidth: 2 }),
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

function outagesUnder(fault: FaultId, cells: readonly Figured[]): readonly Outage[] {
  const own = cells.filter((cell) => cell.fault === fault);
  const known = own.flatMap(({ column, figures: { unavailableMs } }) => {
    const { median, p95, max } = unavailableMs;
    if (median === null || p95 === null || max === null) return [];
    return [{ column, median: least(median), p95: least(p95), max: least(max) }];
  });
  return known.map(({ column, ...spread }, index) => ({
    ...spread,
    name: `${fault} · ${column}`,
    isFirst: index === 0,
    shown: shownMs(spread.median),
  }));
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

function least(ms: number): number {
  return Math.max(LEAST_MS, ms);
}
