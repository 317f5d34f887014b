import type { FaultId } from '@holdfast/core/backend';
import * as Plot from '@observablehq/plot';
import { signOf } from '../../locks/index.ts';
import { NONE } from '../../simulator/index.ts';
import { type CellWithFigures, cellsWithFigures } from '../evaluation/judge-lab-cell.ts';
import type { LabReport, Spread } from '../evaluation/report.ts';
import { colourOf, drawn, INK, type Size, signs } from './drawn.ts';
import { hasTail, shownMs } from './html.ts';

/** The lower end of the logarithmic axis; probes sleep 10 ms between two rounds. */
const LEAST_MS = 5;
/** A span shorter than this, in ms, is not caused by the fault: clients sleep, and a machine has other work. */
const NOTABLE_MS = 500;

/** A line of the chart: the name of a fault, or its effect on one lock. */
type ChartLine = { readonly name: string; readonly label: string };
interface Outage extends ChartLine {
  readonly column: string;
  readonly median: number;
  /** Absent if there are few samples, of which it is the maximum. */
  readonly p95?: number;
  readonly max: number;
  readonly shown: string;
}

/** Charts how long healthy clients were not served, under each fault that made them wait, backend by backend. */
export function outageChart(report: LabReport): string {
  const cells = observedCells(report);
  const endMs =
    2 * Math.max(LEAST_MS, ...cells.flatMap(({ figures }) => known(figures.unavailableMs)));
  const groups = [...new Set([NONE, ...notableCells(cells)])].map((fault) => ({
    fault,
    outages: cells.filter((cell) => cell.fault === fault).map((cell) => outageOf(cell, endMs)),
  }));
  const outages = groups.flatMap((group) => group.outages);
  if (outages.length === 0) return '';
  const lines = groups.flatMap(({ fault, outages: own }): readonly ChartLine[] =>
    own.length === 0 ? [] : [{ name: fault, label: fault }, ...own],
  );
  return drawn((size) => [plot(size, { lines, outages, endMs })]);
}

interface OutageView {
  readonly lines: readonly ChartLine[];
  readonly outages: readonly Outage[];
  readonly endMs: number;
}

function plot({ name: size }: Size, { lines, outages, endMs }: OutageView): Plot.PlotOptions {
  const isWide = size === 'wide';
  const margin = isWide ? 190 : 154;
  const heads = lines.filter(({ name }) => isHead(name));
  const labels = new Map(outages.map(({ name, label }) => [name, label]));
  return {
    height: 54 + 20 * lines.length,
    marginLeft: margin,
    marginRight: isWide ? 250 : 60,
    x: {
      type: 'log',
      domain: [LEAST_MS, endMs],
      ticks: [10, 100, 1_000, 10_000].filter((ms) => ms < endMs),
      tickFormat: (ms: number) => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`),
      label: 'without service, logarithmic',
      labelAnchor: 'left',
      grid: true,
    },
    y: {
      label: null,
      domain: lines.map(({ name }) => name),
      tickSize: 0,
      tickFormat: (name: string) => labels.get(name) ?? '',
    },
    marks: [
      Plot.ruleY(heads, { y: 'name', dy: -10, stroke: 'var(--line)', insetLeft: -margin }),
      Plot.text(heads, {
        y: 'name',
        text: 'label',
        frameAnchor: 'left',
        dx: -margin,
        textAnchor: 'start',
        fontWeight: 'bold',
        fill: INK,
      }),
      Plot.ruleY(outages, { x1: 'median', x2: 'max', y: 'name', strokeWidth: 2, stroke: shade }),
      Plot.tickX(
        outages.filter(({ p95 = endMs }) => p95 < endMs),
        { x: 'p95', y: 'name', strokeWidth: 2, stroke: shade },
      ),
      ...signs(outages, { x: 'median', y: 'name' }),
      Plot.text(outages, {
        x: 'max',
        y: 'name',
        dx: 8,
        textAnchor: 'start',
        fill: INK,
        text: ({ max, shown }: Outage) =>
          `${max === endMs ? '▶ ' : ''}${isWide ? shown : (shown.split(';')[0] ?? '')}`,
      }),
    ],
  };
}

/** True for a fault's own line: only lines of its locks have a blank in their name. */
function isHead(name: string): boolean {
  return !name.includes(' ');
}

function shade({ column }: Outage): string {
  return colourOf(column);
}

/** Makes the line of one cell. A span that did not end reaches the end of the chart, and is marked. */
function outageOf(
  { fault, column, figures: { unavailableMs } }: CellWithFigures,
  endMs: number,
): Outage {
  const { median, p95, max, samples, unended } = unavailableMs;
  const open = unended === 0 ? '' : `${unended} of ${samples} not before the trial ended`;
  return {
    name: `${fault} ${column}`,
    label: `${column} ${signOf(column).glyph}`,
    column,
    median: least(median ?? endMs),
    ...(hasTail(unavailableMs) ? { p95: least(p95 ?? endMs) } : {}),
    max: least(max ?? endMs),
    shown: [median === null ? '' : shownMs(median), open].filter((text) => text !== '').join('; '),
  };
}

function least(ms: number): number {
  return Math.max(LEAST_MS, ms);
}

/** The faults under which no client of any lock waited long: they get no line. */
export function faultsWithoutOutage(report: LabReport): readonly FaultId[] {
  const cells = observedCells(report);
  const notable = new Set(notableCells(cells));
  return report.rows.filter(
    (fault) => fault !== NONE && !notable.has(fault) && cells.some((cell) => cell.fault === fault),
  );
}

export const NOTABLE_TEXT: string = shownMs(NOTABLE_MS);

function notableCells(cells: readonly CellWithFigures[]): readonly FaultId[] {
  const long = cells.filter(({ figures: { unavailableMs } }) => isLong(unavailableMs));
  return long.map(({ fault }) => fault);
}

function isLong({ max }: Spread): boolean {
  return max === null || max >= NOTABLE_MS;
}

/** The cells with samples, in the order of the matrix. */
function observedCells(report: LabReport): readonly CellWithFigures[] {
  const cells = cellsWithFigures(report).filter(({ figures }) => figures.unavailableMs.samples > 0);
  return report.rows.flatMap((fault) => cells.filter((cell) => cell.fault === fault));
}

function known({ median, p95, max }: Spread): readonly number[] {
  return [median, p95, max].flatMap((ms) => ms ?? []);
}
