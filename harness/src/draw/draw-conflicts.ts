import type { Conflict } from './conflict.ts';
import { barsOf } from './draw-lanes.ts';
import { box, tag, words } from './markup.ts';
import { laneOf, type Picture } from './picture.ts';

const COLOURS = { broken: 'red', late: 'yellow' } as const;

/** The hatchings of both kinds of conflict, to be defined once in a picture. */
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
        tag('path', { d: 'M0 0V7', class: `hatch s-${colour}` }),
      ),
    )
    .join('');
}

/** Draws each conflict hatched over both lanes. */
export function drawConflicts(picture: Picture): string {
  return picture.claims.conflicts.map((conflict) => drawConflict(picture, conflict)).join('');
}

/** Labels the conflicts, above everything else, because they are the point of a picture. */
export function labelConflicts(picture: Picture): string {
  return picture.claims.conflicts
    .map((conflict) => {
      const { x, width, lanes } = conflictBoxOf(picture, conflict);
      const [upper] = lanes;
      if (upper === undefined) return '';
      const y = (upper.top + upper.bottom) / 2 + 4;
      return words(
        x + width / 2,
        y,
        conflict.kind,
        `conflict ${COLOURS[conflict.kind]} halo`,
        'middle',
      );
    })
    .join('');
}

function drawConflict(picture: Picture, conflict: Conflict): string {
  const { x, width, lanes } = conflictBoxOf(picture, conflict);
  const [upper, lower] = [lanes[0], lanes.at(-1)];
  if (upper === undefined || lower === undefined) return '';
  const hatched = lanes.map(({ top, bottom }) =>
    tag('rect', {
      x,
      y: top,
      width,
      height: bottom - top,
      fill: `url(#${picture.id}-${conflict.kind})`,
    }),
  );
  const frame = box(
    x,
    upper.top,
    width,
    lower.bottom - upper.top,
    `believes s-${COLOURS[conflict.kind]}`,
  );
  return [...hatched, frame].join('');
}

interface ConflictBox {
  readonly x: number;
  readonly width: number;
  /** The bars of both clients, the upper first. */
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
