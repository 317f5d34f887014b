import { escaped, tag } from './markup.ts';

/** One line of a chart. */
export interface ChartLine {
  readonly name: string;
  readonly isOurs: boolean;
  /** What others are compared with. */
  readonly isBase: boolean;
  /** One for each place; NaN where there is none. */
  readonly values: readonly number[];
}

/** Values of several candidates at the same places. */
export interface Chart {
  readonly title: string;
  readonly unit: string;
  /** What the places are. */
  readonly across: string;
  readonly at: readonly string[];
  readonly lines: readonly ChartLine[];
}

const [WIDTH, HEIGHT] = [620, 300];
const [LEFT, RIGHT, TOP, BOTTOM] = [56, 170, 16, 44];
const STEPS = 4;
/** Names at the end of lines keep so far apart. */
const NAME_HEIGHT = 14;

/** Draws a chart for light and dark paper: ours thick, the base dashed, others thin; names stand at the ends. */
export function drawChart(chart: Chart): string {
  const max = roundUp(
    Math.max(...chart.lines.flatMap(({ values }) => values.filter(Number.isFinite))),
  );
  const x = (at: number): number =>
    LEFT + ((WIDTH - LEFT - RIGHT) * at) / Math.max(1, chart.at.length - 1);
  const y = (value: number): number => HEIGHT - BOTTOM - ((HEIGHT - TOP - BOTTOM) * value) / max;
  const grid = Array.from({ length: STEPS + 1 }, (_, step) => (max * step) / STEPS).map(
    (value) =>
      tag('line', { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), class: 'grid' }, '') +
      text(LEFT - 6, y(value) + 4, value.toLocaleString('en-GB'), 'end'),
  );
  const places = chart.at.map((name, at) => text(x(at), HEIGHT - BOTTOM + 18, name, 'middle'));
  const across = text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, chart.across, 'middle');
  const lines = chart.lines.map(({ values, isOurs, isBase }) => {
    const points = values.flatMap((value, at) =>
      Number.isFinite(value) ? `${x(at).toFixed(1)},${y(value).toFixed(1)}` : [],
    );
    return tag('polyline', { points: points.join(' '), class: classOf(isOurs, isBase) }, '');
  });
  const body = [...grid, ...places, across, ...lines, ...namesOf(chart, y)].join('');
  const label = `${chart.title}, in ${chart.unit}`;
  return tag(
    'figure',
    {},
    tag('figcaption', {}, escaped(label)) +
      tag('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': label }, body),
  );
}

function classOf(isOurs: boolean, isBase: boolean): string {
  if (isOurs) return 'ours';
  return isBase ? 'base' : 'other';
}

/** The names at the right, moved apart where lines end close together. */
function namesOf({ lines }: Chart, y: (value: number) => number): readonly string[] {
  const ends = lines
    .map((line) => ({ line, at: y(line.values.findLast(Number.isFinite) ?? 0) }))
    .toSorted((a, b) => a.at - b.at);
  let free = TOP;
  return ends.map(({ line, at }) => {
    const place = Math.max(at + 4, free);
    free = place + NAME_HEIGHT;
    return tag(
      'text',
      { x: WIDTH - RIGHT + 8, y: place, class: line.isOurs ? 'name ours' : 'name' },
      escaped(line.name),
    );
  });
}

function text(x: number, y: number, content: string, anchor: string): string {
  return tag('text', { x, y, 'text-anchor': anchor }, escaped(content));
}

/** The next of 1, 2, 4, 6 or 8 times a power of ten, so that quarters are round. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 4, 6, 8, 10].map((each) => each * power).find((each) => each >= value) ?? value;
}
