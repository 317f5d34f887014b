import { port } from './draw-lanes.ts';
import { line, tag, words } from './markup.ts';
import { isOdd, usualMsOf } from './messages.ts';
import { laneOf, type Picture } from './picture.ts';
import type { Message } from './scene.ts';

/** A lost message is drawn to this part of its way, and this wide. */
const LOST_PART = 0.55;
const LOST_WIDTH = 14;
const NAME = 'small magenta halo';

export function arrowHeads(id: string): string {
  const head = (name: string, colour: string): string =>
    tag(
      'marker',
      {
        id: `${id}-${name}`,
        viewBox: '0 0 6 6',
        refX: 6,
        refY: 3,
        markerWidth: 6,
        markerHeight: 6,
        orient: 'auto',
      },
      tag('path', { d: 'M0 0L6 3L0 6z', class: colour }),
    );
  return head('arrow', 'gray') + head('odd', 'magenta');
}

/** Draws messages slanted from sender to receiver: a lost one ends in a cross, an oddly slow one is dashed and named. */
export function drawMessages(picture: Picture): string {
  const usualMs = usualMsOf(picture.scene.messages);
  const named = new Set<string>();
  return picture.messages
    .map((message) => {
      const odd = isOdd(message, usualMs);
      const group = groupOf(message);
      const isNamed = odd && !named.has(group);
      if (odd) named.add(group);
      return drawMessage(picture, message, { odd, isNamed });
    })
    .join('');
}

/** The name of a group of messages that leave or arrive together; only the first is labelled, so that labels do not overlap. */
function groupOf({ from, to, label, sentMs, arrivedMs }: Message): string {
  return arrivedMs === null ? `${label} of ${from}, ${sentMs}` : `${label} to ${to}, ${arrivedMs}`;
}

function drawMessage(
  picture: Picture,
  message: Message,
  { odd, isNamed }: { readonly odd: boolean; readonly isNamed: boolean },
): string {
  const [from, to] = [laneOf(picture, message.from), laneOf(picture, message.to)];
  if (from === undefined || to === undefined) return '';
  const [x1, y1, y2] = [picture.scale.x(message.sentMs), port(from), port(to)];
  if (message.arrivedMs === null) {
    const [x, y] = [x1 + LOST_WIDTH * LOST_PART, y1 + (y2 - y1) * LOST_PART];
    const sign = tag('path', { d: cross(x, y), class: 'cross s-magenta' });
    const name = isNamed ? words(x + 8, y + 4, message.label, NAME) : '';
    return line(x1, y1, x, y, 'odd s-magenta') + sign + name;
  }
  const x2 = picture.scale.x(message.arrivedMs);
  const [className, end] = odd ? ['odd s-magenta', 'odd'] : ['message s-gray', 'arrow'];
  const name = isNamed ? words((x1 + x2) / 2 + 4, (y1 + y2) / 2, message.label, NAME) : '';
  return line(x1, y1, x2, y2, className, `url(#${picture.id}-${end})`) + name;
}

function cross(x: number, y: number): string {
  return `M${Number((x - 4).toFixed(1))} ${Number((y - 4).toFixed(1))}l8 8m0 -8l-8 8`;
}
