import { port } from './draw-lanes.ts';
import { crossIn, line, tag, words } from './markup.ts';
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
  const drawn = picture.messages.map((message) => {
    const odd = isOdd(message, usualMs);
    const group = groupOf(message);
    const isNamed = odd && !named.has(group);
    if (odd) named.add(group);
    return { odd, ...drawMessage(picture, message, { odd, isNamed }) };
  });
  return [
    ...drawn.filter(({ odd }) => !odd),
    ...drawn.filter(({ odd }) => odd),
    ...drawn.map(({ sign }) => ({ way: sign })),
    ...drawn.map(({ name }) => ({ way: name })),
  ]
    .map(({ way }) => way)
    .join('');
}

/** A message's line, the cross at the end of a lost one, and the name of an odd one: all are on top of all lines. */
interface Drawn {
  readonly way: string;
  readonly sign: string;
  readonly name: string;
}

const NOTHING: Drawn = { way: '', sign: '', name: '' };

/** The name of a group of messages that leave or arrive together; only the first is labelled, so that labels do not overlap. */
function groupOf({ from, to, label, sentMs, arrivedMs }: Message): string {
  return arrivedMs === null ? `${label} of ${from}, ${sentMs}` : `${label} to ${to}, ${arrivedMs}`;
}

function drawMessage(
  picture: Picture,
  message: Message,
  { odd, isNamed }: { readonly odd: boolean; readonly isNamed: boolean },
): Drawn {
  const [from, to] = [laneOf(picture, message.from), laneOf(picture, message.to)];
  if (from === undefined || to === undefined) return NOTHING;
  const [x1, y1, y2] = [picture.scale.x(message.sentMs), port(from), port(to)];
  if (message.arrivedMs === null) {
    const [x, y] = [x1 + LOST_WIDTH * LOST_PART, y1 + (y2 - y1) * LOST_PART];
    const sign = tag('path', { d: crossIn(x - 4, y - 4, 8), class: 'cross s-magenta' });
    const name = isNamed ? words(x + 8, y + 4, message.label, NAME) : '';
    return { way: line(x1, y1, x, y, 'odd s-magenta'), sign, name };
  }
  const x2 = picture.scale.x(message.arrivedMs);
  const [className, end] = odd ? ['odd s-magenta', 'odd'] : ['message s-gray', 'arrow'];
  const name = isNamed ? words((x1 + x2) / 2 + 4, (y1 + y2) / 2, message.label, NAME) : '';
  const way = line(x1, y1, x2, y2, className, `url(#${picture.id}-${end})`);
  return { way, sign: '', name };
}
