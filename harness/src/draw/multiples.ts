import { captionOf } from './caption.ts';
import { drawLegend } from './draw-notes.ts';
import { wrapped } from './format.ts';
import { headlineOf } from './headline.ts';
import { words } from './markup.ts';
import { OUTCOMES } from './notation.ts';
import { type Picture, pictureOf } from './picture.ts';
import type { Scene } from './scene.ts';
import { drawLanesOf, EVENTS_MAX, type SvgOptions, svgOf } from './svg.ts';

const COLUMN = 560;
const LEFT = 84;
const HEAD = 84;
const TITLE = 56;
const MARGIN = 24;
const CAPTION_LETTERS = 86;

/** One panel: a scene, without the list of its events. */
interface Panel {
  readonly scene: Scene;
  readonly picture: Picture;
  readonly caption: readonly string[];
  readonly remark: readonly string[];
  readonly height: number;
}

/**
 * Draws one schedule on several backends, side by side, in the notation of `drawSvg`. Each panel has its own time scale,
 * because a step may take a millisecond on one backend and a second on another.
 */
export function drawMultiples(
  title: string,
  scenes: readonly Scene[],
  { id = 'holdfast' }: SvgOptions = {},
): string {
  const panels = scenes.map((scene, i) => panelOf(scene, i % 2, id));
  const caption = panels.map(({ scene }) => readOut(scene)).join('. ');
  let y = TITLE;
  const body = rowsOf(panels).flatMap((row) => {
    const drawn = row.map((panel) => move(y, drawPanel(panel)));
    y += Math.max(...row.map(({ height }) => height)) + MARGIN;
    return drawn;
  });
  const width = COLUMN * Math.min(2, scenes.length);
  const sheet = { width, height: y, title, caption };
  return svgOf(id, sheet, [
    words(8, 30, title, 'head ink'),
    drawLegend(width - MARGIN, 30),
    ...body,
  ]);
}

/** The text of a panel for screen readers. */
function readOut(scene: Scene): string {
  const { title, remark } = scene;
  return `${title}: ${headlineOf(scene).text}${remark === undefined ? '' : `; ${remark.text}`}`;
}

function panelOf(scene: Scene, column: number, id: string): Panel {
  const left = column * COLUMN;
  const picture = pictureOf(scene, {
    id,
    margin: left + 8,
    left: left + LEFT,
    right: left + COLUMN - MARGIN,
    top: HEAD,
    entries: EVENTS_MAX,
  });
  const caption = wrapped(captionOf(scene), CAPTION_LETTERS);
  const remark = scene.remark === undefined ? [] : wrapped(scene.remark.text, CAPTION_LETTERS);
  const height = picture.bottom + 20 + (caption.length + remark.length) * 15;
  return { scene, picture, caption, remark, height };
}

function drawPanel({ scene, picture, caption, remark }: Panel): string {
  const { outcome, text: headline } = headlineOf(scene);
  const { glyph, colour } = OUTCOMES[outcome];
  const x = picture.margin;
  const line = (text: string, i: number, ink: string): string =>
    words(x, picture.bottom + 18 + i * 15, text, `small ${ink}`);
  const known = OUTCOMES[scene.remark?.outcome ?? outcome].colour;
  return [
    words(x, 18, scene.title, 'name ink'),
    words(x, 38, `${glyph} ${headline}`, `name ${colour}`),
    drawLanesOf(picture),
    ...caption.map((text, i) => line(text, i, 'gray')),
    ...remark.map((text, i) => line(text, caption.length + i, known)),
  ].join('\n');
}

function move(y: number, content: string): string {
  return `<g transform="translate(0 ${Math.round(y)})">\n${content}\n</g>`;
}

function rowsOf(panels: readonly Panel[]): readonly (readonly Panel[])[] {
  return panels.flatMap((_, i) => (i % 2 === 0 ? [panels.slice(i, i + 2)] : []));
}
