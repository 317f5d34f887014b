import { box, line, words } from './markup.ts';
import { FAULT_GLYPH } from './notation.ts';
import { laneOf, type Picture } from './picture.ts';
import type { SceneFault } from './scene.ts';

/** Behind everything else: where a fault lasts, its lanes are shaded; where it strikes, there is a line with its sign. */
export function drawFaults(picture: Picture): string {
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
