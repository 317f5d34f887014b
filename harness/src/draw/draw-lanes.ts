import { clockText } from './format.ts';
import { box, crossIn, line, tag, words } from './markup.ts';
import type { Lane, Picture } from './picture.ts';

/** Draws the lane of every client, node and resource. */
export function drawLanes(picture: Picture): string {
  const lanes = picture.lanes.map((lane) => drawLane(picture, lane));
  const depth = Math.max(...lanes.map((layers) => layers.length));
  return Array.from({ length: depth }, (_, i) =>
    lanes.flatMap((layers) => layers[i] ?? []).join(''),
  )
    .filter((layer) => layer !== '')
    .join('\n');
}

/** Elements of one lane that are drawn on top of those before; lanes never overlap. */
type Layers = readonly (readonly string[])[];

function drawLane(picture: Picture, lane: Lane): Layers {
  const { actor, y, height } = lane;
  const bars = { client: clientBars, node: nodeBars, resource: resourceMarks }[actor.kind];
  const name = words(picture.margin, y + MIDDLE[actor.kind], actor.id, 'name ink');
  const rule = line(picture.margin, y + height - 2, picture.right, y + height - 2, 's-faint');
  return [[rule], [name], ...bars(picture, lane)];
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

function clientBars(picture: Picture, lane: Lane): Layers {
  const { claims, scene, scale, endMs } = picture;
  const { actor, y } = lane;
  const x = (ms: number): number => scale.x(Math.min(ms, endMs));
  const own = <S extends { readonly client: string }>(spans: readonly S[]): readonly S[] =>
    spans.filter(({ client }) => client === actor.id);
  const crashes = scene.history.filter(
    (event) => event.type === 'crashed' && event.client === actor.id,
  );
  return [
    waits(picture, actor.id).map(([from, until]) =>
      line(x(from), y + 41, x(until), y + 41, 'waits s-gray'),
    ),
    own(claims.believed).map(({ fromMs, untilMs }) =>
      box(x(fromMs), y + BELIEVES.y, x(untilMs) - x(fromMs), BELIEVES.height, 'believes s-ink'),
    ),
    own(claims.valid).map(({ fromMs, untilMs }) =>
      box(x(fromMs), y + VALID.y, x(untilMs) - x(fromMs), VALID.height, 'green'),
    ),
    crashes.map(({ atMs }) => words(x(atMs), y + 46, '†', 'head red', 'middle')),
  ];
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

function nodeBars({ scene, scale, endMs }: Picture, { actor, y }: Lane): Layers {
  const holds = scene.serverState.filter(({ node }) => node === actor.id);
  const bars = holds.map(({ owner, fromMs, untilMs }) => {
    // A gap shows where one owner takes over from another.
    const margin = holds.some((before) => before.untilMs === fromMs) ? TAKEOVER_GAP : 0;
    const [from, until] = [scale.x(fromMs) + margin, scale.x(Math.min(untilMs, endMs))];
    const label =
      owner.length * 8 < until - from
        ? [words((from + until) / 2, y + OWNER.y + 10, owner, 'number on-ink', 'middle')]
        : [];
    return { bar: box(from, y + OWNER.y, until - from, OWNER.height, 'blue'), label };
  });
  return [bars.map(({ bar }) => bar), bars.flatMap(({ label }) => label)];
}

/** A filled square is a write that was accepted, a crossed one was refused. */
function resourceMarks({ scene, scale }: Picture, { actor, y }: Lane): Layers {
  const writes = scene.history.flatMap((event) =>
    event.type === 'write' && event.resource === actor.id
      ? [{ x: scale.x(event.atMs) - 5, accepted: event.accepted }]
      : [],
  );
  const refused = writes.filter(({ accepted }) => !accepted);
  return [
    writes.map(({ x, accepted }) => box(x, y + 22, 10, 10, accepted ? 'ink' : 'believes s-ink')),
    refused.map(({ x }) => tag('path', { d: crossIn(x, y + 22, 10), class: 'cross s-red' })),
  ];
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
