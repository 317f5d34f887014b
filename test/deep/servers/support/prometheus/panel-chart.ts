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
  'text{font:11px system-ui,sans-serif;fill:#24292f}.head{font-weight:600}.soft{fill:#6e7781}.paper{fill:#f6f8fa}.panel{fill:#fff;stroke:#d0d7de}' +
  '.grid{stroke:#d8dee4}.rule{stroke:#6e7781;stroke-dasharray:2 3}.line{fill:none;stroke-width:1.4}' +
  '.c0{stroke:#4269d0}.c1{stroke:#d9760a}.c2{stroke:#c8304a}.c3{stroke:#3a9a7c}.c4{stroke:#8757c0}.c5{stroke:#7c5a43}.key{stroke-width:3}' +
  '@media (prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9198a1}.paper{fill:#0d1117}.panel{fill:#161b22;stroke:#30363d}.grid{stroke:#30363d}.c0{stroke:#7d9bf0}}';

/** A panel from its start to `untilS`: axes, rules, lines. */
export function chart(lines: readonly Line[], rules: readonly Rule[], untilS: number): string {
  const highest = Math.max(0, ...lines.flatMap((line) => line.map(([, value]) => value)));
  const step = niceStep(highest || 1);
  const top = step * Math.ceil((highest || 1) / step);
  const x = (s: number): number => LEFT + ((RIGHT - LEFT) * s) / untilS;
  const y = (value: number): number => BOTTOM - ((BOTTOM - TOP) * value) / top;
  const values = Array.from({ length: Math.round(top / step) + 1 }, (_, n) => n * step);
  const times = Array.from({ length: Math.floor(untilS / TICK_S) + 1 }, (_, n) => n * TICK_S);
  return [
    `<path class="panel" d="M0 0h${WIDTH}v${HEIGHT}h-${WIDTH}z"/>`,
    ...values.flatMap((value) => [
      `<path class="grid" d="M${LEFT} ${px(y(value))}H${RIGHT}"/>`,
      words(LEFT - 6, px(y(value) + 4), `${Number(value.toFixed(6))}`, 'soft', 'end'),
    ]),
    ...times.map((s) => words(px(x(s)), BOTTOM + 16, `${s} s`, 'soft', 'middle')),
    ...rules.flatMap(({ s, letter }) => [
      `<path class="rule" d="M${px(x(s))} ${TOP}V${BOTTOM}"/>`,
      words(px(x(s)), TOP - 5, letter, 'soft', 'middle'),
    ]),
    ...lines.map((line, at) => {
      const points = line.map(([s, value]) => `${px(x(s))} ${px(y(value))}`);
      return `<path class="line c${at % COLOURS}" d="M${points.join('L')}"/>`;
    }),
  ].join('');
}

/** The names of the lines, in two rows below the chart. */
export function legend(names: readonly string[]): string {
  let [x, y] = [14, LEGEND];
  const items = names.map((name, at) => {
    const width = 26 + LETTER_PX * name.length;
    if (x + width > WIDTH) [x, y] = [14, y + LINE];
    const item = `<path class="key c${at % COLOURS}" d="M${px(x)} ${y - 4}h8"/>${words(px(x + 12), y, name, 'soft')}`;
    x += width;
    return item;
  });
  return items.join('');
}

/** A text that starts, ends or is centred at a position. */
export function words(
  x: number,
  y: number,
  text: string,
  className?: string,
  anchor?: 'middle' | 'end',
): string {
  const look = className === undefined ? '' : ` class="${className}"`;
  const place = anchor === undefined ? '' : ` text-anchor="${anchor}"`;
  return `<text x="${x}" y="${y}"${look}${place}>${text}</text>`;
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(highest: number): number {
  const least = highest / TICKS;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((step) => step * power >= least) ?? 10);
}

/** Coordinates to a tenth of a pixel. */
function px(value: number): number {
  return Number(value.toFixed(1));
}
