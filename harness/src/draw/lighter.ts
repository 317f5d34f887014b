const LOOKS = ' class="[^"]*"(?: (?:marker-end|text-anchor)="[^"]*")?';
/** Elements of one name and one look, one right behind the other. */
const RUN = new RegExp(
  `<(path|rect|circle|text)((?: [\\w-]+="[^"]*")*?)(${LOOKS})(?:/>|>[^<]*</\\1>)(?:<\\1(?: [\\w-]+="[^"]*")*?\\3(?:/>|>[^<]*</\\1>))+`,
  'g',
);

/** The same drawing, in which the elements of such a run say their look once. */
export function withSharedLooks(markup: string): string {
  return markup.replaceAll(
    RUN,
    (run, _name, _place, look) => `<g${look}>${run.replaceAll(look, '')}</g>`,
  );
}

/** Without the rules for classes and the definitions that a picture does not use. */
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
