import { hatchings } from './draw-conflicts.ts';
import { port } from './draw-lanes.ts';
import { arrowHeads } from './draw-messages.ts';
import { clockText } from './format.ts';
import { tag } from './markup.ts';
import { joinMoments, NOISE, namesOf, type TimelineEntry } from './moment.ts';
import { momentsOf, shortTokens } from './moments.ts';
import { type Lane, laneOf, type Picture, pictureOf } from './picture.ts';
import type { Message, Scene } from './scene.ts';
import { drawLanesOf } from './svg.ts';
import { timeScale } from './time-scale.ts';

/** A scene laid out to be played: what is drawn once, and where everything is at a moment. */
export interface Stage {
  readonly scene: Scene;
  /** The content of an `svg` element of this size, in pixels. */
  readonly markup: string;
  readonly width: number;
  readonly height: number;
  /** The x at which time begins. */
  readonly left: number;
  readonly lanes: readonly StageLane[];
  readonly steps: readonly Step[];
  readonly startMs: number;
  readonly endMs: number;
  x(atMs: number): number;
  /** The inverse of {@link Stage.x}. */
  msAt(x: number): number;
  /** The messages that are on their way, with the y of each. */
  messagesAt(atMs: number): readonly MessageOnWay[];
  /** The time on the clock of a lane; empty without a clock. */
  clockAt(lane: StageLane, atMs: number): string;
  /** The fencing token of the last write that a resource accepted; empty if it has accepted none with a token. */
  tokenAt(lane: StageLane, atMs: number): string;
}

export type StageLane = Lane;

/** One event, told in one sentence. */
export interface Step {
  readonly atMs: number;
  readonly sentence: string;
  readonly kind: TimelineEntry['kind'];
}

export interface MessageOnWay {
  readonly y: number;
  readonly label: string;
  /** True if it will never arrive. */
  readonly isLost: boolean;
}

export interface StageOptions {
  /** Prefix of its ids, so that several stages fit on one page. */
  readonly id: string;
  readonly width: number;
}

const LEFT = 100;
/** The axis of time is above the lanes. */
const TOP = 30;
/** Numbered events decide which messages are drawn; a narrow picture has room for fewer. */
const PIXELS_PER_ENTRY = 70;
/** The part of its way after which a lost message is gone, and how long it is shown. */
const LOST = { part: 0.55, px: 14 } as const;

/** Lays a scene out for playing. */
export function stageOf(scene: Scene, { id, width }: StageOptions): Stage {
  const right = width - 16;
  const entries = Math.max(3, Math.min(12, Math.floor((right - LEFT) / PIXELS_PER_ENTRY)));
  const picture = pictureOf(scene, { id, margin: 8, left: LEFT, right, top: TOP, entries });
  const { scale, lanes, startMs, endMs } = picture;
  const token = shortTokens(scene.history);
  const ways = scene.messages.flatMap((message) => wayOf(message, picture));
  return {
    scene,
    markup: tag('defs', {}, hatchings(id) + arrowHeads(id)) + drawLanesOf(picture),
    width,
    height: picture.bottom + 8,
    left: LEFT,
    lanes,
    steps: stepsOf(scene),
    startMs,
    endMs,
    x: (atMs) => scale.x(atMs),
    msAt: (x) => scale.msAt(x),
    messagesAt: (atMs) => ways.flatMap((way) => onWay(way, atMs)),
    clockAt: ({ actor }, atMs) => clockText(actor, atMs),
    tokenAt: ({ actor }, atMs) => {
      const write = scene.history.findLast(
        (event) =>
          event.type === 'write' &&
          event.resource === actor.id &&
          event.accepted &&
          event.atMs <= atMs,
      );
      return write?.type === 'write' ? token(write.token, 'token ') : '';
    },
  };
}

/** The way of one message: what is the same in every frame. */
interface Way {
  readonly sentMs: number;
  readonly untilMs: number;
  readonly fromY: number;
  readonly toY: number;
  readonly label: string;
  readonly isLost: boolean;
  /** The part of its way that it has gone at a time while it is under way. */
  readonly partAt: (atMs: number) => number;
}

/** Messages from and to unknown actors have no way. */
function wayOf(message: Message, picture: Picture): readonly Way[] {
  const { sentMs, arrivedMs, label } = message;
  const [from, to] = [laneOf(picture, message.from), laneOf(picture, message.to)];
  if (from === undefined || to === undefined) return [];
  const way = { sentMs, fromY: port(from), toY: port(to), label };
  if (arrivedMs !== null) {
    const partAt = (atMs: number): number => (atMs - sentMs) / (arrivedMs - sentMs || 1);
    return [{ ...way, untilMs: arrivedMs, isLost: false, partAt }];
  }
  const { scale } = picture;
  const x = scale.x(sentMs);
  const partAt = (atMs: number): number => ((scale.x(atMs) - x) / LOST.px) * LOST.part;
  return [{ ...way, untilMs: scale.msAt(x + LOST.px), isLost: true, partAt }];
}

function onWay(way: Way, atMs: number): readonly MessageOnWay[] {
  const { sentMs, untilMs, fromY, toY, label, isLost, partAt } = way;
  // Most of them, in every frame.
  if (atMs < sentMs || atMs > untilMs) return NONE;
  return [{ y: fromY + (toY - fromY) * partAt(atMs), label, isLost }];
}

const NONE: readonly MessageOnWay[] = [];

/** All events of a scene, the minor ones too, each as a sentence. */
function stepsOf(scene: Scene): readonly Step[] {
  const clients = new Set(scene.actors.filter(({ kind }) => kind === 'client').map(({ id }) => id));
  return joinMoments(momentsOf(scene))
    .filter(({ weight }) => weight >= NOISE)
    .map((entry) => {
      const isDoing = entry.kind !== 'message' || clients.has(entry.actor);
      return {
        atMs: entry.atMs,
        kind: entry.kind,
        sentence: `${namesOf(entry)}${isDoing ? '' : ':'} ${entry.what}.`,
      };
    });
}

/** The pace at which scenes are played together: idle stretches pass quickly, and events never at once. */
export interface Track {
  readonly length: number;
  /** The time at a position from 0 to {@link Track.length}. */
  msAt(position: number): number;
  positionOf(atMs: number): number;
}

const PIXELS_A_STEP = 60;

/** Makes a track of the steps of one or several scenes. */
export function trackOf(steps: readonly Pick<Step, 'atMs'>[]): Track {
  const times = steps.map(({ atMs }) => atMs);
  const length = PIXELS_A_STEP * Math.max(1, new Set(times).size);
  const scale = timeScale(times, times, 0, length);
  return { length, positionOf: (atMs) => scale.x(atMs), msAt: (at) => scale.msAt(at) };
}
