import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';

export const WIDTH = 1_200;
export const INK = 'var(--ink)';
export const SOFT = 'var(--soft)';

/** What charts hatch with. */
const HATCH =
  '<defs><pattern id="none" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line y2="7" stroke="var(--soft)" stroke-opacity=".45" stroke-width="2"></line></pattern></defs>';

/** A chart as markup, without a browser. */
export function drawn(options: Plot.PlotOptions): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- all of a document that Plot uses is there
  const own = document as unknown as Plot.PlotOptions['document'];
  const markup = Plot.plot({ ...options, document: own }).outerHTML;
  const hatched = markup.includes('url(#none)')
    ? markup.replace(/(<svg[^>]*>)/, `$1${HATCH}`)
    : markup;
  return `<figure>${hatched}</figure>`;
}
