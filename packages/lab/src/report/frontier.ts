import * as Plot from '@observablehq/plot';
import type { DialPoint, LabReport } from '../evaluation/report.ts';
import { drawn, INK, SOFT, WIDTH } from './drawn.ts';
import { shownMs } from './html.ts';

/** Where points without a violation stand: a band of its own, for none in so many is not never. */
const NONE = { top: -20, middle: -90, bottom: -160 };
const THOUSAND = 1_000;

const WRITTEN = { x: 'handoverMs', y: 'perThousand', fill: INK, stroke: 'var(--paper)' } as const;

/** Curves meet where all break, and where none does: what is written at their points keeps apart. */
const LABELS = [
  { isIn: (point: Point) => !isBelow(point), dy: -12 },
  { isIn: isBelow, dy: 15 },
];
const NAMES = [
  { columns: ['redlock', 'zk'], dy: 0 },
  { columns: ['redis-simple/sentinel'], dy: 28 },
];

function isBelow({ column, perThousand }: Point): boolean {
  return column === 'zk' || (column === 'redis-simple/sentinel' && perThousand > 0);
}

interface Point {
  readonly column: string;
  readonly ttlMs: number;
  readonly handoverMs: number;
  readonly perThousand: number;
  readonly low: number;
  readonly high: number;
  readonly label: string;
}

/** Safety against availability: a curve for each backend, on which the ttl is the dial. Empty where only one ttl was tried. */
export function frontierChart(report: LabReport): string {
  const points = [...report.dial, ...mainPoints(report)].flatMap(pointOf).toSorted(byTtl);
  if (report.dial.length === 0 || points.length === 0) return '';
  const last = [...new Map(points.map((point) => [point.column, point])).values()];
  const trials = Math.max(...report.dial.map(({ broken }) => broken.of));
  const longest = Math.max(...points.map(({ handoverMs }) => handoverMs));
  return drawn({
    width: WIDTH,
    height: 460,
    marginLeft: 60,
    marginRight: 40,
    x: {
      type: 'log',
      domain: [Math.min(...points.map(({ handoverMs }) => handoverMs)) / 1.3, longest * 1.9],
      label: 'ms until the next one holds when the holder has died, p95; logarithmic',
      grid: true,
    },
    y: {
      domain: [NONE.bottom, THOUSAND + 60],
      ticks: [0, 250, 500, 750, THOUSAND],
      label: 'strikes by which two held at once, of 1 000 in which a server died',
      grid: true,
    },
    marks: [
      Plot.rectY([NONE], { y1: 'bottom', y2: 'top', fill: 'url(#none)' }),
      Plot.text([`none in ${trials}`], {
        frameAnchor: 'bottom-left',
        dx: 6,
        dy: -6,
        fill: INK,
        text: (text: string) => text,
      }),
      Plot.ruleX(points, {
        x: 'handoverMs',
        y1: 'low',
        y2: 'high',
        stroke: SOFT,
        strokeOpacity: 0.7,
      }),
      Plot.line(points, { x: 'handoverMs', y: 'perThousand', z: 'column', stroke: INK }),
      Plot.dot(points, { x: 'handoverMs', y: 'perThousand', symbol: 'column', r: 5, fill: INK }),
      ...LABELS.map(({ isIn, dy }) =>
        Plot.text(points.filter(isIn), { ...WRITTEN, dy, text: 'label' }),
      ),
      ...NAMES.map(({ columns, dy }) =>
        Plot.text(
          last.filter(({ column }) => columns.includes(column)),
          { ...WRITTEN, dx: 12, dy, textAnchor: 'start', fontWeight: 'bold', text: 'column' },
        ),
      ),
    ],
  });
}

function pointOf({ column, ttlMs, broken, handoverMs }: DialPoint): readonly Point[] {
  if (handoverMs.p95 === null || broken.of === 0) return [];
  const rate = (broken.hits / broken.of) * THOUSAND;
  return [
    {
      column,
      ttlMs,
      handoverMs: handoverMs.p95,
      perThousand: broken.hits === 0 ? NONE.middle : rate,
      low: broken.hits === 0 ? NONE.middle : broken.interval.low * THOUSAND,
      high: broken.interval.high * THOUSAND,
      label: `ttl ${shownMs(ttlMs)}`,
    },
  ];
}

/** What turns with the ttl, where the matrix has it; beside the dial's own. */
const MAIN = [
  { column: 'redis-simple/sentinel', death: 'failover', crashOn: 'redis-simple' },
  { column: 'redlock', death: 'restart-empty', crashOn: 'redlock' },
  { column: 'zk', death: 'failover', crashOn: 'zk' },
] as const;

function mainPoints({ cells, settings: { ttlMs } }: LabReport): readonly DialPoint[] {
  return MAIN.flatMap(({ column, death, crashOn }) => {
    const died = cells.find((cell) => cell.column === column && cell.fault === death)?.figures;
    const crashed = cells.find((cell) => cell.column === crashOn && cell.fault === 'holder-crash');
    const handoverMs = crashed?.figures?.handoverMs;
    if (died === undefined || died === null || handoverMs === undefined) return [];
    return [{ column, ttlMs, broken: died.validity, handoverMs }];
  });
}

function byTtl(a: Point, b: Point): number {
  return a.ttlMs - b.ttlMs;
}
