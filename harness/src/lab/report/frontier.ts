import * as Plot from '@observablehq/plot';
import { type PlannedCell, TTL_SWEEPS } from '../evaluation/plan.ts';
import type { LabCell, LabReport, TtlPoint } from '../evaluation/report.ts';
import { colourOf, drawn, HATCHED, INK, type Size, signedName, signs } from './drawn.ts';
import { shownMs } from './html.ts';

const THOUSAND = 1_000;
/**
 * The top of the band for points without a violation: none in so many trials is not never. Each curve has its lane in
 * it.
 */
const BAND_TOP = -40;
const LANE = 150;
const TICKS = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000];

interface FrontierPoint {
  readonly column: string;
  readonly handoverMs: number;
  /** The interval of the median at 95 %; both the median itself if there are too few samples. */
  readonly earliest: number;
  readonly latest: number;
  readonly perThousand: number;
  readonly low: number;
  readonly high: number;
  readonly label: string;
}

/**
 * Charts safety against availability: a curve for each backend, with a point for each ttl. Empty if only one ttl was
 * measured.
 */
export function frontierChart(report: LabReport): string {
  if (report.dial.length === 0) return '';
  const columns = columnsOf(report);
  const dial = [...report.dial, ...mainPoints(report)].toSorted((a, b) => a.ttlMs - b.ttlMs);
  const points = dial.flatMap((point) => pointOf(point, columns));
  if (points.length === 0) return '';
  const trials = Math.max(...report.dial.map(({ broken }) => broken.of));
  return drawn((size) => [plot(size, { points, trials, lanes: columns.length })]);
}

/** The measured columns, in the order in which backends are shown everywhere. */
function columnsOf({ dial, columns }: LabReport): readonly string[] {
  const measured = new Set(dial.map(({ column }) => column));
  return [...new Set([...columns.map(({ id }) => id), ...measured])].filter((id) =>
    measured.has(id),
  );
}

interface FrontierView {
  readonly points: readonly FrontierPoint[];
  readonly trials: number;
  readonly lanes: number;
}

function plot({ name }: Size, { points, trials, lanes }: FrontierView): Plot.PlotOptions {
  const isWide = name === 'wide';
  const bottom = BAND_TOP - LANE * (lanes + 0.6);
  const domain: [number, number] = [
    Math.min(...points.map(({ earliest }) => earliest)) / 1.3,
    Math.max(...points.map(({ latest }) => latest)) * 1.3,
  ];
  const written = { x: 'handoverMs', y: 'perThousand', fill: INK, stroke: 'var(--paper)' } as const;
  return {
    height: 500,
    marginLeft: 48,
    marginRight: isWide ? 40 : 12,
    // Room for the names of curves that begin at the same point, and for the label below the ticks.
    marginTop: 62,
    marginBottom: 44,
    x: {
      type: 'log',
      domain,
      ticks: TICKS.filter((ms) => ms > domain[0] && ms < domain[1]),
      tickFormat: (ms: number) => shownMs(ms).replace('.0', ''),
      label: isWide
        ? 'from the holder’s crash to the next grant: median, logarithmic'
        : 'from crash to next grant: median',
      labelOffset: 40,
      grid: true,
    },
    y: {
      domain: [bottom, THOUSAND + 60],
      ticks: [0, 250, 500, 750, THOUSAND],
      label: isWide
        ? 'trials in which two clients held at once, of 1 000 in which a server died'
        : 'trials with two holders, of 1 000',
      grid: true,
    },
    marks: [
      Plot.rectY([{ bottom, top: BAND_TOP }], { y1: 'bottom', y2: 'top', fill: HATCHED }),
      Plot.text([`none in ${trials}`], {
        frameAnchor: 'bottom-left',
        dx: 6,
        dy: -4,
        fill: INK,
        stroke: 'var(--paper)',
        text: (text: string) => text,
      }),
      Plot.ruleX(points, {
        x: 'handoverMs',
        y1: 'low',
        y2: 'high',
        stroke: shade,
        strokeOpacity: 0.6,
      }),
      Plot.ruleY(points, {
        x1: 'earliest',
        x2: 'latest',
        y: 'perThousand',
        stroke: shade,
        strokeWidth: 3,
        strokeOpacity: 0.6,
      }),
      Plot.line(points, { x: 'handoverMs', y: 'perThousand', z: 'column', stroke: shade }),
      ...signs(points, { x: 'handoverMs', y: 'perThousand' }),
      Plot.text(points.filter(isApart), { ...written, dy: -14, text: 'label' }),
      ...firstOf(points).map((point, index, all) =>
        Plot.text([point], {
          ...written,
          dx: -6,
          dy: -29 - 14 * all.slice(0, index).filter((other) => isNear(other, point)).length,
          textAnchor: 'start',
          fontWeight: 'bold',
          text: ({ column }: FrontierPoint) => signedName(column),
        }),
      ),
    ],
  };
}

/** The first point of each curve, which has its name: at the shortest ttl curves are far apart. */
function firstOf(points: readonly FrontierPoint[]): readonly FrontierPoint[] {
  return [...new Map(points.toReversed().map((point) => [point.column, point])).values()];
}

/** True unless the label is already written at the same point: curves meet where all locks break. */
function isApart(point: FrontierPoint, index: number, all: readonly FrontierPoint[]): boolean {
  return !all.slice(0, index).some((other) => other.label === point.label && isNear(other, point));
}

function isNear(a: FrontierPoint, b: FrontierPoint): boolean {
  const ratio = a.handoverMs / b.handoverMs;
  return a.perThousand === b.perThousand && ratio > 0.9 && ratio < 1.1;
}

function shade({ column }: FrontierPoint): string {
  return colourOf(column);
}

function pointOf(
  { column, ttlMs, broken, handoverMs: { median, interval } }: TtlPoint,
  columns: readonly string[],
): readonly FrontierPoint[] {
  if (median === null || broken.of === 0) return [];
  const isNone = broken.hits === 0;
  const channel = BAND_TOP - LANE * (columns.indexOf(column) + 0.8);
  return [
    {
      column,
      handoverMs: median,
      earliest: interval?.low ?? median,
      latest: interval?.high ?? median,
      perThousand: isNone ? channel : (broken.hits / broken.of) * THOUSAND,
      low: isNone ? channel : broken.interval.low * THOUSAND,
      high: broken.interval.high * THOUSAND,
      label: `ttl ${shownMs(ttlMs)}`,
    },
  ];
}

/** The points of the run's own ttl, from its cells. */
function mainPoints({ cells, settings: { ttlMs } }: LabReport): readonly TtlPoint[] {
  const figuresAt = (of: PlannedCell): LabCell['figures'] | undefined =>
    cells.find(({ column, fault }) => column === of.column && fault === of.fault)?.figures;
  return TTL_SWEEPS.flatMap(({ column, death, crash }) => {
    const died = figuresAt(death);
    const handoverMs = figuresAt(crash)?.handoverMs;
    if (died === undefined || died === null || handoverMs === undefined) return [];
    return [{ column, ttlMs, broken: died.validity, handoverMs }];
  });
}
