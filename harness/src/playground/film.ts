import type { Scene } from '../draw/index.ts';
import { OWN_LOCK } from '../edited/names.ts';
import { namesFor } from '../find/names.ts';
import { replayed } from '../find/replay.ts';
import { TARGET_PROPERTIES, violationOf } from '../search/index.ts';
import {
  type PlayResult,
  REPLAY_STRING_MAX,
  type Schedule,
  ScheduleError,
  type Story,
  type StoryProperty,
  storyToString,
} from '../simulator/index.ts';
import { type Playable, playableOf } from './playable.ts';

/** A run as the page shows it: plain data, made beside the page. */
export interface Film {
  readonly story: Story;
  /** The string that `holdfast replay` takes; absent if it would be too long, with much code. */
  readonly link?: string;
  readonly scene: Scene;
  /** The differences from the story, one sentence each; none for a new one. */
  readonly differences: readonly string[];
  /** The time of the scene at which the schedule begins. */
  readonly beginMs: number;
  /** The faults that took effect, with their numbers in the schedule. */
  readonly marks: readonly FaultMark[];
}

export interface FaultMark {
  readonly fault: number;
  readonly atMs: number;
  readonly lanes: readonly string[];
}

/** Plays a story. @throws ScheduleError for an unknown lock, one that hangs, and code that nobody has admitted */
export async function filmOf(story: Story): Promise<Film> {
  if (story.expect.kind === 'stuck')
    throw new ScheduleError(
      'expect',
      'in this story the lock never yields, so nothing can be shown',
    );
  const { subject, player } = playableOf({ lock: story.backend, code: story.code });
  return filmFrom(story, await player(story.schedule, subject, { trace: true }));
}

/** Plays a schedule that is no story yet, and judges it by its worst violation. */
export async function firstFilmOf(schedule: Schedule, lock: Playable): Promise<Film> {
  const played = await lock.player(schedule, lock.subject, { trace: true });
  return filmFrom(storyOf(played, lock), played);
}

/** The story of a run: its worst violation, or that it kept mutual exclusion. */
function storyOf(played: PlayResult, { subject, code }: Playable): Story {
  const violation = TARGET_PROPERTIES.map((wanted) => violationOf(played, wanted)).find(
    (each) => each !== undefined,
  );
  const { property, fenced }: { property: StoryProperty; fenced: boolean } = violation ?? {
    property: 'validity',
    fenced: false,
  };
  const { schedule, hash = '' } = played;
  return {
    v: 1,
    backend: subject.name,
    fault: schedule.faults[0]?.kind ?? 'none',
    fenced,
    property,
    schedule,
    expect: { kind: violation?.kind ?? 'ok', hash },
    ...(code && { code }),
  };
}

function filmFrom(story: Story, played: PlayResult): Film {
  const { scene, differences } = replayed(story, played);
  if (scene === undefined) throw new Error('a run that ended has a scene');
  const names = namesFor(story.schedule);
  const link = storyToString(story);
  return {
    story,
    ...(link.length <= REPLAY_STRING_MAX && { link }),
    scene: story.code === undefined ? scene : edited(scene, story.backend),
    differences,
    beginMs: beginOf(played),
    marks: played.injections.map(({ fault, atMs, actors }) => ({
      fault,
      atMs,
      lanes: actors.map(names),
    })),
  };
}

/** A run of edited code says so. */
function edited(scene: Scene, lock: string): Scene {
  const name = lock === OWN_LOCK ? 'your own code' : `${lock} (edited)`;
  return { ...scene, title: `${name}${scene.title.slice(lock.length)}` };
}

/** The moment of the run at which the times of the schedule begin. */
function beginOf({ history, schedule }: PlayResult): number {
  return (history[0]?.atMs ?? 0) - Math.min(...schedule.ops.map(({ atMs }) => atMs));
}
