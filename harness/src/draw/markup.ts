/** One element of a picture; numbers are rounded, so that a picture is equal on every machine. */
export function tag(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content?: string,
): string {
  const pairs = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [`${key}="${typeof value === 'number' ? rounded(value) : escaped(value)}"`],
  );
  const open = [name, ...pairs].join(' ');
  return content === undefined ? `<${open}/>` : `<${open}>${content}</${name}>`;
}

/** Text that cannot be read as markup. */
export function escaped(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // XML forbids control characters, even escaped; other characters hide text or reverse its direction.
      .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\uFFFE\uFFFF]/gu, '\uFFFD')
  );
}

/** A line of text at a position. */
export function words(
  x: number,
  y: number,
  text: string,
  className: string,
  anchor?: 'middle' | 'end',
): string {
  return tag('text', { x, y, class: className, 'text-anchor': anchor }, escaped(text));
}

export function line(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  className: string,
  marker?: string,
): string {
  const [fromX, fromY, toX, toY] = [rounded(x1), rounded(y1), rounded(x2), rounded(y2)];
  const end = fromX === toX ? `V${toY}` : fromY === toY ? `H${toX}` : `L${toX} ${toY}`;
  return tag('path', { d: `M${fromX} ${fromY}${end}`, class: className, 'marker-end': marker });
}

export function box(
  x: number,
  y: number,
  width: number,
  height: number,
  className: string,
): string {
  const [w, h] = [rounded(Math.max(0, width)), rounded(height)];
  const d = `M${rounded(x)} ${rounded(y)}h${w}v${h}h-${w}z`;
  return tag('path', { d, class: className });
}

/** Path data of a cross in a square. */
export function crossIn(x: number, y: number, size: number): string {
  return `M${rounded(x)} ${rounded(y)}l${size} ${size}m0-${size}l-${size} ${size}`;
}

/** A disc; it is the round end of a line without length, the shortest form that browsers draw. */
export function disc(x: number, y: number, colour: string): string {
  return tag('path', { d: `M${rounded(x)} ${rounded(y)}h0`, class: `disc s-${colour}` });
}

function rounded(value: number): string {
  return `${Number(value.toFixed(1))}`;
}

const LOOKS = ' class="[^"]*"(?: (?:marker-end|text-anchor)="[^"]*")?';
/** Adjacent elements with one name and one look. */
const RUN = new RegExp(
  `<(path|text)((?: [\\w-]+="[^"]*")*?)(${LOOKS})(?:/>|>[^<]*</\\1>)(?:<\\1(?: [\\w-]+="[^"]*")*?\\3(?:/>|>[^<]*</\\1>))+`,
  'g',
);

/** Groups adjacent elements with one look, so that the look is written once. */
export function withSharedLooks(markup: string): string {
  return markup.replaceAll(RUN, (run, name, _place, look: string) =>
    name === 'path' && !look.includes('marker-end')
      ? `<path d="${Array.from(run.matchAll(/ d="([^"]*)"/g), ([, d]) => d).join('')}"${look}/>`
      : `<g${look}>${run.replaceAll(look, '')}</g>`,
  );
}

/** Removes the class rules and definitions that a picture does not use. */
export function withoutUnused(svg: string): string {
  const classes = new Set(
    Array.from(svg.matchAll(/ class="([^"]*)"/g), ([, names = '']) => names.split(' ')).flat(),
  );
  return svg
    .replaceAll(/\.([a-z-]+)\{[^}]*\}/g, (rule, name) => (classes.has(name) ? rule : ''))
    .replaceAll(/<(pattern|marker) id="([^"]*)".*?<\/\1>/g, (whole, _, id) =>
      svg.includes(`url(#${id})`) ? whole : '',
    );
}
