import { isPicture, withoutUnused } from '../../draw/index.ts';
import { escaped, tag } from './html.ts';

/** As an image, whose style sheet cannot meet that of the page. What Holdfast did not draw is left out, and said to be. */
export function picture(alternative: string, svg: string): string {
  if (!isPicture(svg))
    return tag('p', { class: 'soft' }, `${escaped(alternative)}: left out, no drawing of ours`);
  return `<img loading="lazy" alt="${escaped(alternative)}" src="${dataUri(light(svg))}">`;
}

/** Legible, and half as long again in base64: quotes are turned where nothing stands between them that they would end. */
function dataUri(svg: string): string {
  const text = svg
    .replaceAll(/="([^"']*)"/g, "='$1'")
    .replaceAll('%', '%25')
    .replaceAll('#', '%23')
    .replaceAll('"', '%22')
    .replaceAll('&', '&amp;');
  return `data:image/svg+xml;charset=utf-8,${text}`;
}

/** Without what an image does not tell, and what it does not use: a page has a hundred. */
function light(svg: string): string {
  return withoutUnused(
    svg.replaceAll('\n', '').replaceAll(/<(title|desc)[ >].*?<\/\1>| aria-labelledby="[^"]*"/g, ''),
  );
}
