const ELEMENTS = new Set(
  'svg title desc style defs pattern marker path rect text circle line g'.split(' '),
);
const ATTRIBUTES = new Set(
  (
    'xmlns viewBox width height role aria-labelledby id class x y x1 y1 x2 y2 cx cy r d fill text-anchor transform ' +
    'patternUnits patternTransform markerWidth markerHeight marker-end orient refX refY'
  ).split(' '),
);
const SVG = 'http://www.w3.org/2000/svg';

/** The end of an element, its start, or text. */
const TOKEN = /<\/([a-z]+)>|<([a-z]+)((?: [a-zA-Z0-9-]+="[^"<>]*")*)(\/?)>|[^<]+/g;
const ATTRIBUTE = / ([a-zA-Z0-9-]+)="([^"]*)"/g;
/** Any other entity could mean anything. */
const OTHER_ENTITY = /&(?!(?:amp|lt|gt|quot);)/;
/** Rules for classes, on light and dark paper: no function, no escape, no rule that loads anything. */
const STYLE = /^(?:[^&\\@()]|@media (?:print|\(prefers-color-scheme:(?:dark|light)\)))*$/;

/**
 * True if markup consists only of what drawings of this package use: known elements and attributes, no script, and no
 * reference except to its own parts. Markup that two parsers might read in two ways is refused.
 */
export function isPicture(markup: string): boolean {
  const svg = markup.trim();
  if (OTHER_ENTITY.test(svg)) return false;
  const open: string[] = [];
  let read = 0;
  for (const [token, end, begin, attributes = '', empty] of svg.matchAll(TOKEN)) {
    const parent = open.at(-1);
    // One outermost element only, and no gap between tokens.
    if ((parent === undefined && read > 0) || !svg.startsWith(token, read)) return false;
    read += token.length;
    if (end !== undefined) {
      if (open.pop() !== end) return false;
    } else if (begin === undefined) {
      if (parent === undefined || (parent === 'style' && !STYLE.test(token))) return false;
    } else {
      if (!mayBegin(begin, parent) || !areKnown(attributes)) return false;
      if (empty === '') open.push(begin);
    }
  }
  return read > 0 && read === svg.length && open.length === 0;
}

function mayBegin(name: string, parent: string | undefined): boolean {
  return ELEMENTS.has(name) && parent !== 'style' && (name === 'svg') === (parent === undefined);
}

function areKnown(attributes: string): boolean {
  return Array.from(attributes.matchAll(ATTRIBUTE)).every(
    ([, name = '', value = '']) =>
      ATTRIBUTES.has(name) && (name === 'xmlns' ? value === SVG : isOwn(value)),
  );
}

function isOwn(value: string): boolean {
  return !/url/i.test(value.replaceAll(/url\(#[A-Za-z0-9_-]+\)/g, ''));
}
