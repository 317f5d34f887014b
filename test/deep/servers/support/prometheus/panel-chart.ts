/** A line: seconds and values. */
type Line = readonly (readonly [number, number])[];

/** A moment that is marked in every panel. */
interface Rule {
  readonly s: number;
  readonly letter: string;
}

export const WIDTH = 480;
export const HEIGHT = 206;
const LEFT = 44;
const RIGHT = WIDTH - 14;
const TOP = 42;
const BOTTOM = HEIGHT - 58;
const LEGEND = HEIGHT - 26;
const LINE = 15;
const LETTER_PX = 6.3;
const TICKS = 4;
const TICK_S = 20;
const COLOURS = 6;

export const STYLE =
  'text{font:11px system-ui,sans-serif;fill:#24292f}.head{font-weight:600}.soft,.soft text{fill:#6e7781}.paper{fill:#f6f8fa}.panel{fill:#fff;stroke:#d0d7de}' +
  '.grid{stroke:#d8dee4}.rule{stroke:#6e7781;stroke-dasharray:2 3}.line{fill:none;stroke-width:1.4}' +
  '.c0{stroke:#4269d0}.c1{stroke:#d9760a}.c2{stroke:#c8304a}.c3{stroke:#3a9a7c}.c4{stroke:#8757c0}.c5{stroke:#7c5a43}.key{stroke-width:3}' +
  '@media (prefers-color-scheme:dark){text{fill:#e6edf3}.soft,.soft text{fill:#9198a1}.paper{fill:#0d1117}.panel{fill:#161b22;stroke:#30363d}.grid{stroke:#30363d}.c0{stroke:#7d9bf0}}';

/** A panel from its start to `untilS`: axes, rules, lines. */
export function chart(lines: readonly Line[], rules: readonly Rule[], untilS: number): string {
  const highest = Math.max(0, ...lines.flatMap((line) => line.map(([, value]) => value)));
  const step = niceStep(highest || 1);
  const top = step * Math.ceil((highest || 1) / step);
  const x = (s: number): number => LEFT + ((RIGHT - LEFT) * s) / untilS;
  const y = (value: number): number => BOTTOM - ((BOTTOM - TOP) * value) / top;
  const values = Array.from({ length: Math.round(top / step) + 1 }, (_, n) => n * step);
  const times = Array.from({ length: Math.floor(untilS / TICK_S) + 1 }, (_, n) => n * TICK_S);
  const ticks = values.map((value) => words(LEFT - 6, y(value) + 4, `${Number(value.toFixed(6))}`));
  const seconds = times.map((s) => words(x(s), BOTTOM + 16, `${s} s`));
  const letters = rules.map(({ s, letter }) => words(x(s), TOP - 5, letter));
  const grid = values.map((value) => `M${LEFT} ${px(y(value))}H${RIGHT}`);
  const dashes = rules.map(({ s }) => `M${px(x(s))} ${TOP}V${BOTTOM}`);
  return [
    `<path class="panel" d="M0 0h${WIDTH}v${HEIGHT}h-${WIDTH}z"/>`,
    `<path class="grid" d="${grid.join('')}"/><path class="rule" d="${dashes.join('')}"/>`,
    `<g class="soft" text-anchor="end">${ticks.join('')}</g>`,
    `<g class="soft" text-anchor="middle">${seconds.join('')}${letters.join('')}</g>`,
    ...lines.map((line, at) => {
      const points = line.map(([s, value]) => [px(x(s)), px(y(value))] as const);
      return `<path class="line c${at % COLOURS}" d="${pathOf(points)}"/>`;
    }),
  ].join('');
}

/** A path by short relative steps; flat stretches are one step. */
function pathOf(points: readonly (readonly [number, number])[]): string {
  const corners = points.filter(
    ([, y], at) => y !== points[at - 1]?.[1] || y !== points[at + 1]?.[1],
  );
  const steps = corners.map(([x, y], at) => {
    const [beforeX = 0, beforeY = 0] = corners[at - 1] ?? [];
    return at === 0 ? `M${x} ${y}` : `l${x - beforeX} ${y - beforeY}`;
  });
  return steps.join('').replaceAll(/ -/g, '-');
}

/** The names of the lines, in two rows below the chart. */
export function legend(names: readonly string[]): string {
  let [x, y] = [14, LEGEND];
  const items = names.map((name, at) => {
    const width = 26 + LETTER_PX * name.length;
    if (x + width > WIDTH) [x, y] = [14, y + LINE];
    const item = `<path class="key c${at % COLOURS}" d="M${px(x)} ${y - 4}h8"/>${words(x + 12, y, name, 'soft')}`;
    x += width;
    return item;
  });
  return items.join('');
}

/** A text that starts, ends or is centred at a position. */
export function words(x: number, y: number, text: string, className?: string): string {
  const look = className === undefined ? '' : ` class="${className}"`;
  return `<text x="${px(x)}" y="${px(y)}"${look}>${text}</text>`;
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(highest: number): number {
  const least = highest / TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((step) => step * power >= least) ?? 10);
}

/** Coordinates in whole pixels keep the picture small. */
function px(value: number): number {
  return Math.round(value);
}
