import { captionOf } from './caption.ts';
import { drawConflicts, hatchings, labelConflicts } from './draw-conflicts.ts';
import { drawClocks, drawLanes } from './draw-lanes.ts';
import { arrowHeads, drawMessages } from './draw-messages.ts';
import { drawAxis, drawLegend, drawList, drawNumbers } from './draw-notes.ts';
import { wrapped } from './format.ts';
import { headlineOf } from './headline.ts';
import { box, escaped, line, tag, withoutUnused, withSharedLooks, words } from './markup.ts';
import { type Colour, FAULT_GLYPH, OUTCOMES, SHADES } from './notation.ts';
import { laneOf, type Picture, pictureOf } from './picture.ts';
import type { Scene, SceneFault } from './scene.ts';

export interface SvgOptions {
  /** Prefix of its ids, so that several pictures fit on one page; `holdfast` by default. */
  readonly id?: string;
}

const WIDTH = 960;
const LEFT = 92;
const RIGHT = WIDTH - 24;
const HEAD = 86;
export const EVENTS_MAX: number = 12;
const CAPTION_LETTERS = 140;

/**
 * Draws a scene as a picture for docs and reports: lanes for clients, nodes and resources, at most twelve numbered events
 * with their texts, and a caption that screen readers use too. Fits light and dark paper.
 */
export function drawSvg(scene: Scene, { id = 'holdfast' }: SvgOptions = {}): string {
  const picture = pictureOf(scene, {
    id,
    margin: 8,
    left: LEFT,
    right: RIGHT,
    top: HEAD,
    entries: EVENTS_MAX,
  });
  const list = drawList(picture, WIDTH, picture.bottom + 12);
  const caption = captionOf(scene);
  const captionTop = picture.bottom + list.height + 34;
  const lines = wrapped(caption, CAPTION_LETTERS);
  const body = [
    drawHead(scene),
    drawLegend(RIGHT, 42),
    drawLanesOf(picture),
    drawNumbers(picture),
    list.markup,
    ...lines.map((text, i) => words(8, captionTop + i * 16, text, 'small gray')),
  ];
  return svgOf(
    id,
    { width: WIDTH, height: captionTop + lines.length * 16, title: scene.title, caption },
    body,
  );
}

/** Draws the lanes of a picture and everything on them except numbers, background first. */
export function drawLanesOf(picture: Picture): string {
  return [drawAxis, drawFaults, drawLanes, drawConflicts, drawMessages, drawClocks, labelConflicts]
    .map((draw) => draw(picture))
    .join('\n');
}

export interface Sheet {
  readonly width: number;
  readonly height: number;
  readonly title: string;
  readonly caption: string;
}

/** A complete SVG file. */
export function svgOf(
  id: string,
  { width, height, title, caption }: Sheet,
  body: readonly string[],
): string {
  const content = [
    tag('title', { id: `${id}-title` }, escaped(title)),
    tag('desc', { id: `${id}-desc` }, escaped(caption)),
    styleSheet(),
    tag('defs', {}, hatchings(id) + arrowHeads(id)),
    tag('rect', { width, height, class: 'paper' }),
    withSharedLooks(body.join('\n')),
  ];
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
    width,
    height: Math.ceil(height),
    role: 'img',
    'aria-labelledby': `${id}-title ${id}-desc`,
  };
  return withoutUnused(`${tag('svg', attributes, `\n${content.join('\n')}\n`)}\n`);
}

function drawHead(scene: Scene): string {
  const { outcome, text } = headlineOf(scene);
  const { glyph, colour } = OUTCOMES[outcome];
  return words(8, 26, `${glyph} ${text}`, `head ${colour}`) + words(8, 46, scene.title, 'gray');
}

/** Draws faults behind everything else: a line with a sign at the start, and shaded lanes for the duration. */
function drawFaults(picture: Picture): string {
  return picture.scene.faults.map((fault) => drawFault(picture, fault)).join('');
}

function drawFault(picture: Picture, { actors, atMs, untilMs }: SceneFault): string {
  const { scale, endMs } = picture;
  const lanes = actors.flatMap((id) => laneOf(picture, id) ?? []);
  const x = scale.x(atMs);
  return lanes
    .map(({ y, height }) => {
      const until = untilMs === undefined ? x : scale.x(Math.min(untilMs, endMs));
      const shade = untilMs === undefined ? '' : box(x, y + 16, until - x, height - 20, 'faint');
      const sign = words(x, y + 14, FAULT_GLYPH, 'name magenta halo', 'middle');
      return shade + line(x, y + 2, x, y + height - 4, 'fault-line s-magenta') + sign;
    })
    .join('');
}

const NAMES: readonly Colour[] = ['green', 'yellow', 'red', 'gray', 'magenta', 'blue'];
const PAPER = { light: '#fff', dark: '#0d1117' } as const;
const INK = { light: '#1f2328', dark: '#e6edf3' } as const;
const FAINT = { light: '#d8dee4', dark: '#30363d' } as const;

type Shade = 'light' | 'dark';

const SHAPES = `
svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;font-size:12px}
.halo{paint-order:stroke;stroke-width:4px;stroke-linejoin:round}.clock{font-family:ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace;font-size:9px}
.head{font-size:16px;font-weight:700}.name{font-size:13px;font-weight:600}.small{font-size:10px}.conflict{font-size:11px;font-weight:700}
.number{font-size:10px;font-weight:700}
.believes{fill:none;stroke-width:1.5}.waits{stroke-width:1.5;stroke-dasharray:2 3}.message{stroke-width:1}
.odd{stroke-width:1.5;stroke-dasharray:5 2}.fault-line{stroke-width:1.5;stroke-dasharray:6 3}.cross{stroke-width:2;fill:none}.disc{stroke-width:16px;stroke-linecap:round}
.hatch{stroke-width:2}`;

/** The style of a picture for light and dark colour schemes. Shapes and words carry all information without colour. */
function styleSheet(): string {
  return `<style>${SHAPES}\n${shades('light')}\n@media (prefers-color-scheme:dark){${shades('dark')}}</style>`;
}

/** The rules for light paper, shapes included, and those that change on dark paper. */
export function styleRules(): { readonly light: string; readonly dark: string } {
  return { light: SHAPES + shades('light'), dark: shades('dark') };
}

function shades(shade: Shade): string {
  const colours = NAMES.map(
    (name) => `.${name}{fill:${SHADES[name][shade]}}.s-${name}{stroke:${SHADES[name][shade]}}`,
  );
  return [
    `.paper{fill:${PAPER[shade]}}.halo{stroke:${PAPER[shade]}}.ink{fill:${INK[shade]}}.s-ink{stroke:${INK[shade]}}`,
    `.on-ink{fill:${PAPER[shade]}}.faint{fill:${FAINT[shade]}}.s-faint{stroke:${FAINT[shade]}}`,
    ...colours,
  ].join('');
}
