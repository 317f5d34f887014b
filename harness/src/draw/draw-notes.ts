import { ms, wrapped } from './format.ts';
import { box, disc, line, tag, words } from './markup.ts';
import { namesOf } from './moment.ts';
import { FAULT_GLYPH } from './notation.ts';
import { laneOf, type Picture } from './picture.ts';

const LINE = 16;
/** The average width of a letter at 12 px, for the widest of the usual fonts. */
const LETTER = 6.6;

/** The minimum distance between the centres of two numbers on one lane. */
const APART = 17;

/** Draws the numbers of events on the lanes. */
export function drawNumbers(picture: Picture): string {
  const taken = new Map<string, number>();
  const numbers = picture.entries.flatMap(({ actor, atMs, kind }, i) => {
    const lane = laneOf(picture, actor);
    if (lane === undefined) return [];
    const x = Math.max(picture.scale.x(atMs), (taken.get(actor) ?? 0) + APART);
    taken.set(actor, x);
    return [{ x, y: lane.y + 9, number: i + 1, isFault: kind === 'fault' }];
  });
  return badges(numbers);
}

/** Draws the legend of bars and lines, in one line that ends at `right`. */
export function drawLegend(right: number, y: number): string {
  let x = right;
  const items = LEGEND.map(([draw, label]) => {
    x -= label.length * LETTER_SMALL;
    const text = words(x, y, label, 'small gray');
    x -= 24;
    const sign = draw(x, y - 8);
    x -= 12;
    return sign + text;
  });
  return items.join('');
}

const LETTER_SMALL = 5.6;
/** From right to left. */
const LEGEND: readonly (readonly [(x: number, y: number) => string, string])[] = [
  [(x, y) => line(x, y + 5, x + 18, y + 5, 'waits s-gray'), 'waits'],
  [(x, y) => box(x, y, 18, 9, 'blue'), 'holder in the store'],
  [(x, y) => box(x, y, 18, 9, 'green'), 'valid'],
  [(x, y) => box(x, y, 18, 9, 'believes s-ink'), 'believes'],
];

/** Draws the texts of the numbered events, in two columns below the lanes. */
export function drawList(
  { entries }: Picture,
  width: number,
  top: number,
): { readonly markup: string; readonly height: number } {
  const half = width / 2;
  const parts = entries.map((entry, i) => {
    const sign = entry.kind === 'fault' ? `${FAULT_GLYPH} ` : '';
    const text = `${ms(entry.atMs)} ms · ${namesOf(entry)}: ${sign}${entry.what}`;
    return {
      number: i + 1,
      isFault: entry.kind === 'fault',
      lines: wrapped(text, Math.floor((half - 48) / LETTER)),
    };
  });
  const split = splitAt(parts.map(({ lines }) => lines.length));
  const columns = [parts.slice(0, split), parts.slice(split)];
  let height = 0;
  const numbers: Badge[] = [];
  const texts = columns.flatMap((column, at) => {
    let y = top;
    const x = 16 + at * half;
    const drawn = column.flatMap(({ number, isFault, lines }) => {
      numbers.push({ x, y: y + 8, number, isFault });
      const own = lines.map((text, i) => words(x + 14, y + 12 + i * LINE, text, 'ink'));
      y += lines.length * LINE + 4;
      return own;
    });
    height = Math.max(height, y - top);
    return drawn;
  });
  return { markup: badges(numbers) + texts.join(''), height };
}

/** Draws the axis of true time above the lanes; two strokes mark shortened idle time. */
export function drawAxis({ scale, entries, margin, left, right, top }: Picture): string {
  const y = top - 8;
  let free = left;
  const times = [...new Set(entries.map(({ atMs }) => atMs))];
  const ticks = times.map((atMs) => line(scale.x(atMs), y - 3, scale.x(atMs), y + 3, 's-gray'));
  const labels = times.flatMap((atMs) => {
    const x = scale.x(atMs);
    const text = ms(atMs);
    if (x < free) return [];
    free = x + text.length * 6 + 8;
    return [words(x, y - 6, text, 'small gray', 'middle')];
  });
  const gaps = scale.cuts.map((x) => box(x - 4, y - 4, 8, 8, 'paper'));
  const cuts = scale.cuts.map((x) =>
    tag('path', {
      d: `M${Number((x - 5).toFixed(1))} ${y + 5}l4-10m3 10l4-10`,
      class: 'cross s-gray',
    }),
  );
  return [
    words(margin, y + 3, 'ms', 'small gray'),
    line(left, y, right, y, 's-gray'),
    ...ticks,
    ...labels,
    ...gaps,
    ...cuts,
  ].join('');
}

interface Badge {
  readonly x: number;
  readonly y: number;
  readonly number: number;
  readonly isFault: boolean;
}

function badges(all: readonly Badge[]): string {
  const discs = [false, true].flatMap((isFault) =>
    all
      .filter((badge) => badge.isFault === isFault)
      .map(({ x, y }) => disc(x, y, isFault ? 'magenta' : 'ink')),
  );
  const numbers = all.map(({ x, y, number }) =>
    words(x, y + 3.5, `${number}`, 'number on-ink', 'middle'),
  );
  return [...discs, ...numbers].join('');
}

/** The index at which the second column begins, so that both are about as long. */
function splitAt(lengths: readonly number[]): number {
  const total = lengths.reduce((sum, each) => sum + each, 0);
  let sum = 0;
  const at = lengths.findIndex((length) => (sum += length) * 2 >= total);
  return at + 1;
}
