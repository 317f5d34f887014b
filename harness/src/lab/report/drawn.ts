import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import { signOf } from '../../locks/index.ts';

/** A size of chart: for screens and paper, or for a phone, on which a scaled chart could not be read. */
export interface Size {
  readonly name: 'wide' | 'narrow';
  readonly width: number;
}

const SIZES: readonly Size[] = [
  { name: 'wide', width: 1_000 },
  { name: 'narrow', width: 366 },
];

export const INK = 'var(--ink)';
export const SOFT = 'var(--soft)';
/** The fill of hatched areas. */
export const HATCHED = 'url(#hatch)';

/** Draws a chart as markup, without a browser, in both sizes; several plots are stacked. */
export function drawn(build: (size: Size) => readonly Plot.PlotOptions[]): string {
  const sizes = SIZES.map(
    (size) =>
      `<div class="${size.name}">${build(size)
        .map((each) => plotted(each, size))
        .join('')}</div>`,
  );
  return `<figure>${sizes.join('')}</figure>`;
}

function plotted(options: Plot.PlotOptions, { name, width }: Size): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- linkedom has all that Plot uses of a document
  const own = document as unknown as Plot.PlotOptions['document'];
  const style = { fontSize: name === 'wide' ? '12px' : '11px' };
  const markup = Plot.plot({ width, style, ...options, document: own }).outerHTML;
  if (!markup.includes(HATCHED)) return markup;
  // The pattern of a hidden size is not drawn, so each size has its own.
  const id = `hatch-${name}`;
  return markup.replace(/(<svg[^>]*>)/, `$1${hatch(id)}`).replaceAll(HATCHED, `url(#${id})`);
}

function hatch(id: string): string {
  return `<defs><pattern id="${id}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line y2="7" stroke="var(--soft)" stroke-opacity=".45" stroke-width="2"></line></pattern></defs>`;
}

/** The colour of a column's backend on this page. */
export function colourOf(column: string): string {
  return `var(--${signOf(column).colour})`;
}

/** The glyph and the name of a column, as text. */
export function signedName(column: string): string {
  return `${signOf(column).glyph} ${column}`;
}

/** The glyphs of columns as marks of a chart: one mark each, because a mark has one shape. Outlines come last, so that they
 * are not hidden. */
export function signs(
  rows: readonly { readonly column: string }[],
  options: Plot.DotOptions,
): readonly Plot.Markish[] {
  const columns = [...new Set(rows.map(({ column }) => column))];
  return columns
    .toSorted((a, b) => Number(signOf(a).isHollow) - Number(signOf(b).isHollow))
    .map((column) => {
      const { shape, isHollow } = signOf(column);
      const own = rows.filter((row) => row.column === column);
      const colour = colourOf(column);
      return Plot.dot(own, {
        // `diamond` is twice as tall as `diamond2`.
        symbol: shape === 'diamond' ? 'diamond2' : shape,
        r: isHollow ? 7.5 : 5,
        stroke: colour,
        strokeWidth: isHollow ? 2 : 1.5,
        fill: isHollow ? 'none' : colour,
        ...options,
      });
    });
}
