import { clockText } from './format.ts';
import { box, line, tag, words } from './markup.ts';
import type { Lane, Picture } from './picture.ts';

/** Draws the lane of every client, node and resource. */
export function drawLanes(picture: Picture): string {
  return picture.lanes.map((lane) => drawLane(picture, lane)).join('\n');
}

function drawLane(picture: Picture, lane: Lane): string {
  const { actor, y, height } = lane;
  const bars = { client: clientBars, node: nodeBars, resource: resourceMarks }[actor.kind];
  const name = words(picture.margin, y + MIDDLE[actor.kind], actor.id, 'name ink');
  const rule = line(picture.margin, y + height - 2, picture.right, y + height - 2, 's-faint');
  return [rule, name, bars(picture, lane)].join('');
}

const MIDDLE = { client: 46, node: 30, resource: 34 } as const;
const BELIEVES = { y: 24, height: 9 } as const;
const VALID = { y: 34, height: 14 } as const;
const OWNER = { y: 20, height: 12 } as const;

/** The y at which messages to and from a lane begin and end: below a client's bars, above a node's. */
export function port({ actor, y }: Lane): number {
  return actor.kind === 'client'
    ? y + VALID.y + VALID.height
    : y + (actor.kind === 'node' ? OWNER.y : 22);
}

/** The part of a client's lane that its bars take. */
export function barsOf({ y }: Lane): { readonly top: number; readonly bottom: number } {
  return { top: y + BELIEVES.y - 3, bottom: y + VALID.y + VALID.height + 3 };
}

function clientBars(picture: Picture, lane: Lane): string {
  const { claims, scene, scale, endMs } = picture;
  const { actor, y } = lane;
  const x = (ms: number): number => scale.x(Math.min(ms, endMs));
  const own = <S extends { readonly client: string }>(spans: readonly S[]): readonly S[] =>
    spans.filter(({ client }) => client === actor.id);
  const crashes = scene.history.filter(
    (event) => event.type === 'crashed' && event.client === actor.id,
  );
  return [
    ...waits(picture, actor.id).map(([from, until]) =>
      line(x(from), y + 41, x(until), y + 41, 'waits s-gray'),
    ),
    ...own(claims.believed).map(({ fromMs, untilMs }) =>
      box(x(fromMs), y + BELIEVES.y, x(untilMs) - x(fromMs), BELIEVES.height, 'believes s-ink'),
    ),
    ...own(claims.valid).map(({ fromMs, untilMs }) =>
      box(x(fromMs), y + VALID.y, x(untilMs) - x(fromMs), VALID.height, 'green'),
    ),
    ...crashes.map(({ atMs }) => words(x(atMs), y + 46, '†', 'head red', 'middle')),
  ].join('');
}

/** The spans from each request of a client to its grant, its refusal or the crash. */
function waits({ scene, endMs }: Picture, client: string): readonly (readonly [number, number])[] {
  return scene.history.flatMap((request) => {
    if (request.type !== 'acquire' || request.client !== client) return [];
    const end = scene.history.find(
      (event) =>
        (('hold' in event &&
          event.hold === request.hold &&
          event.type !== 'acquire' &&
          event.type !== 'doubt') ||
          (event.type === 'crashed' && event.client === client)) &&
        event.atMs >= request.atMs,
    );
    return [[request.atMs, end?.atMs ?? endMs] as const];
  });
}

const TAKEOVER_GAP = 3;

function nodeBars({ scene, scale, endMs }: Picture, { actor, y }: Lane): string {
  const holds = scene.serverState.filter(({ node }) => node === actor.id);
  return holds
    .map(({ owner, fromMs, untilMs }) => {
      // A gap shows where one owner takes over from another.
      const margin = holds.some((before) => before.untilMs === fromMs) ? TAKEOVER_GAP : 0;
      const [from, until] = [scale.x(fromMs) + margin, scale.x(Math.min(untilMs, endMs))];
      const bar = box(from, y + OWNER.y, until - from, OWNER.height, 'blue');
      const label =
        owner.length * 8 < until - from
          ? words((from + until) / 2, y + OWNER.y + 10, owner, 'number on-ink', 'middle')
          : '';
      return bar + label;
    })
    .join('');
}

/** A filled square is a write that was accepted, a crossed one was refused. */
function resourceMarks({ scene, scale }: Picture, { actor, y }: Lane): string {
  return scene.history
    .flatMap((event) => {
      if (event.type !== 'write' || event.resource !== actor.id) return [];
      const x = scale.x(event.atMs);
      const square = tag('rect', {
        x: x - 5,
        y: y + 22,
        width: 10,
        height: 10,
        class: event.accepted ? 'ink' : 'believes s-ink',
      });
      const cross = event.accepted
        ? ''
        : tag('path', { d: `M${x - 5} ${y + 22}l10 10m0 -10l-10 10`, class: 'cross s-red' });
      return [square + cross];
    })
    .join('');
}

const CLOCK_WIDTH = 70;

/** Prints the time of each lane's own clock at its numbered events and faults, if there is room. */
export function drawClocks(picture: Picture): string {
  return picture.lanes.map((lane) => clocks(picture, lane)).join('');
}

function clocks(
  { entries, scale, left, right, scene, startMs }: Picture,
  { actor, y, height }: Lane,
): string {
  if (actor.clock.length === 0) return '';
  const own = [...entries, ...scene.faults].filter(({ actors }) => actors.includes(actor.id));
  const moments = [...new Set([startMs, ...own.map(({ atMs }) => atMs)])].toSorted((a, b) => a - b);
  let free = left - CLOCK_WIDTH;
  return moments
    .flatMap((atMs) => {
      const x = Math.min(scale.x(atMs), right - CLOCK_WIDTH + 6);
      if (x < free) return [];
      free = x + CLOCK_WIDTH;
      return [words(x, y + height - 7, clockText(actor, atMs), 'clock gray halo')];
    })
    .join('');
}
