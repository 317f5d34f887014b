import { type Claims, claimsOf } from './conflict.ts';
import { chosenMessages } from './messages.ts';
import { heaviest, joinMoments, type TimelineEntry } from './moment.ts';
import { momentsOf } from './moments.ts';
import { type Actor, lanesOf, type Message, type Scene } from './scene.ts';
import { type TimeScale, timeScale } from './time-scale.ts';

/** The layout of a scene, computed once, then drawn. */
export interface Picture {
  readonly scene: Scene;
  readonly claims: Claims;
  readonly lanes: readonly Lane[];
  readonly messages: readonly Message[];
  /** The numbered events, in order. */
  readonly entries: readonly TimelineEntry[];
  readonly scale: TimeScale;
  /** The time of the last event; spans without an end are cut off here. */
  readonly endMs: number;
  readonly startMs: number;
  /** The x at which the names of lanes begin. */
  readonly margin: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Prefix of ids, so that several pictures fit on one page. */
  readonly id: string;
}

export interface Lane {
  readonly actor: Actor;
  readonly y: number;
  readonly height: number;
}

export interface Frame {
  readonly id: string;
  readonly margin: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly entries: number;
}

const HEIGHTS: Readonly<Record<Actor['kind'], number>> = { client: 72, node: 52, resource: 48 };

export function pictureOf(scene: Scene, { entries: most, ...frame }: Frame): Picture {
  const { id, margin, left, right, top } = frame;
  const claims = claimsOf(scene);
  const entries = heaviest(joinMoments(momentsOf(scene)), most);
  const messages = chosenMessages(scene, entries);
  const times = timesOf(scene, claims, entries, messages);
  const [startMs, endMs] = [times.length === 0 ? 0 : Math.min(...times), Math.max(...times, 0)];
  const scale = timeScale(
    times,
    entries.map(({ atMs }) => atMs),
    left,
    right,
  );
  const lanes = laidOut(lanesOf(scene), top);
  const last = lanes.at(-1);
  const bottom = last === undefined ? top : last.y + last.height;
  return {
    scene,
    claims,
    lanes,
    messages,
    entries,
    scale,
    startMs,
    endMs,
    margin,
    left,
    right,
    top,
    bottom,
    id,
  };
}

/** The lane of an actor; messages from and to unknown actors are not drawn. */
export function laneOf({ lanes }: Picture, id: string): Lane | undefined {
  return lanes.find(({ actor }) => actor.id === id);
}

function laidOut(actors: readonly Actor[], top: number): readonly Lane[] {
  let y = top;
  return actors.map((actor) => {
    const lane = { actor, y, height: HEIGHTS[actor.kind] };
    y += lane.height;
    return lane;
  });
}

/** Every moment at which something in the picture begins or ends. */
function timesOf(
  scene: Scene,
  { valid, believed }: Claims,
  entries: readonly TimelineEntry[],
  messages: readonly Message[],
): number[] {
  return [
    ...entries.map(({ atMs }) => atMs),
    ...scene.history
      .filter(({ type }) => type === 'acquire' || type === 'write')
      .map(({ atMs }) => atMs),
    ...[...valid, ...believed, ...scene.serverState].flatMap(({ fromMs, untilMs }) => [
      fromMs,
      untilMs,
    ]),
    ...scene.faults.flatMap(({ atMs, untilMs = atMs }) => [atMs, untilMs]),
    ...messages.flatMap(({ sentMs, arrivedMs }) => [sentMs, arrivedMs ?? sentMs]),
  ].filter((ms) => Number.isFinite(ms));
}
