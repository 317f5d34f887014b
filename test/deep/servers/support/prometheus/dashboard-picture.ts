import type { FilledPanel } from './dashboard-panels.ts';
import { chart, HEIGHT, legend, STYLE, WIDTH, words } from './panel-chart.ts';
import type { TimeRange } from './server.ts';

/** Something that was done to the services or to their store. */
export interface Mark {
  readonly atS: number;
  readonly text: string;
}

const GAP = 16;
const LINE = 16;
const COLUMNS = 2;
const LETTERS = 'abcdefgh';

/** What the unit of Grafana means on an axis, and its factor. */
const UNITS: Readonly<Record<string, readonly [string, number]>> = {
  ops: [', per s', 1],
  s: [', s', 1],
  percentunit: [', %', 100],
};

/** Draws the panels as the dashboard arranges them, on light and dark paper. The marks are explained below. */
export function dashboardPicture(
  panels: readonly FilledPanel[],
  marks: readonly Mark[],
  { startS, endS }: TimeRange,
): string {
  const rows = Math.ceil(panels.length / COLUMNS);
  const width = COLUMNS * (WIDTH + GAP) + GAP;
  const below = rows * (HEIGHT + GAP) + 2 * GAP;
  const rules = marks.map(({ atS }, at) => ({ s: atS - startS, letter: LETTERS.charAt(at) }));
  const drawn = panels.map(({ title, unit, series }, at) => {
    const [label, factor] = UNITS[unit] ?? ['', 1];
    const lines = series.map(({ samples }) =>
      samples.map(([atS, value]): readonly [number, number] => [atS - startS, factor * value]),
    );
    const x = GAP + (at % COLUMNS) * (WIDTH + GAP);
    const y = GAP + Math.floor(at / COLUMNS) * (HEIGHT + GAP);
    const names = legend(series.map(({ name }) => name));
    return `<g transform="translate(${x} ${y})">${chart(lines, rules, endS - startS)}${words(10, 19, `${title}${label}`, 'head')}${names}</g>`;
  });
  const explained = marks.map(({ atS, text }, at) =>
    words(
      GAP,
      below + at * LINE,
      `${LETTERS.charAt(at)}: after ${Math.round(atS - startS)} s, ${text}`,
    ),
  );
  const height = below + marks.length * LINE;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="dashboard-title"><title id="dashboard-title">The dashboard of Holdfast</title><style>${STYLE}</style><rect class="paper" width="${width}" height="${height}"/>
${[...drawn, ...explained].join('\n')}
</svg>
`;
}
