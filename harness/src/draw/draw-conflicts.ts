import type { Conflict } from './conflict.ts';
import { barsOf } from './draw-lanes.ts';
import { box, tag, words } from './markup.ts';
import { laneOf, type Picture } from './picture.ts';

const COLOURS = { broken: 'red', late: 'yellow' } as const;

/** Hatchings, named after what they stand for, to be defined once in a picture. */
export function hatchings(id: string): string {
  return Object.entries(COLOURS)
    .map(([kind, colour]) =>
      tag(
        'pattern',
        {
          id: `${id}-${kind}`,
          width: 7,
          height: 7,
          patternUnits: 'userSpaceOnUse',
          patternTransform: kind === 'broken' ? 'rotate(45)' : 'rotate(-45)',
        },
        tag('line', { x1: 0, y1: 0, x2: 0, y2: 7, class: `hatch s-${colour}` }),
      ),
    )
    .join('');
}

/** Where two are in one another's way: hatched over both lanes. */
export function drawClashes(picture: Picture): string {
  return picture.claims.clashes.map((clash) => drawClash(picture, clash)).join('');
}

/** What the hatchings are called; above all else, since it is what a picture is about. */
export function nameClashes(picture: Picture): string {
  return picture.claims.clashes
    .map((clash) => {
      const { x, width, lanes } = conflictBoxOf(picture, clash);
      const [upper] = lanes;
      if (upper === undefined) return '';
      const y = (upper.top + upper.bottom) / 2 + 4;
      return words(x + width / 2, y, clash.kind, `clash ${COLOURS[clash.kind]} halo`, 'middle');
    })
    .join('');
}

function drawClash(picture: Picture, clash: Conflict): string {
  const { x, width, lanes } = conflictBoxOf(picture, clash);
  const [upper, lower] = [lanes[0], lanes.at(-1)];
  if (upper === undefined || lower === undefined) return '';
  const hatched = lanes.map(({ top, bottom }) =>
    tag('rect', {
      x,
      y: top,
      width,
      height: bottom - top,
      fill: `url(#${picture.id}-${clash.kind})`,
    }),
  );
  const frame = box(
    x,
    upper.top,
    width,
    lower.bottom - upper.top,
    `believes s-${COLOURS[clash.kind]}`,
  );
  return [...hatched, frame].join('');
}

interface ConflictBox {
  readonly x: number;
  readonly width: number;
  /** The bars of both, the upper first. */
  readonly lanes: readonly { readonly top: number; readonly bottom: number }[];
}

function conflictBoxOf(
  picture: Picture,
  { first, second, fromMs, untilMs }: Conflict,
): ConflictBox {
  const { scale, endMs } = picture;
  const x = scale.x(fromMs);
  const lanes = [first, second].flatMap((id) => laneOf(picture, id) ?? []).map(barsOf);
  return {
    x,
    width: Math.max(3, scale.x(Math.min(untilMs, endMs)) - x),
    lanes: lanes.toSorted((a, b) => a.top - b.top),
  };
}
