import { didYouMean } from '@holdfast/core/backend';
import type { Scene } from '../draw/index.ts';
import { namesFor } from '../find/names.ts';
import { replayed } from '../find/replay.ts';
import { builtInSubject, LOCK_NAMES } from '../locks/index.ts';
import { playGuarded, TARGET_PROPERTIES, violationOf } from '../search/index.ts';
import {
  type PlayResult,
  type Schedule,
  ScheduleError,
  type Story,
  type StoryProperty,
  type Subject,
  storyToString,
} from '../simulator/index.ts';

/** A run as the page shows it: plain data, made beside the page. */
export interface Film {
  readonly story: Story;
  /** The string that `holdfast replay` takes. */
  readonly link: string;
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

/**
 * The lock of a story.
 * @throws ScheduleError for a lock that is not built in
 */
export function playableSubject(backend: string): Subject {
  const subject = builtInSubject(backend);
  if (subject !== undefined) return subject;
  const isFile = /[/\\]|\.[cm]?[jt]s$/.test(backend);
  throw new ScheduleError(
    'backend',
    isFile
      ? `${backend} is a file of its author; play this story with npx holdfast replay`
      : `unknown lock "${backend}".${didYouMean(backend, LOCK_NAMES)}`,
  );
}

/** Plays a story. @throws ScheduleError for a lock that is not built in, or that hangs */
export async function filmOf(story: Story): Promise<Film> {
  if (story.expect.kind === 'stuck')
    throw new ScheduleError(
      'expect',
      'in this story the lock never yields, so nothing can be shown',
    );
  const played = await playGuarded(story.schedule, playableSubject(story.backend), { trace: true });
  return filmFrom(story, played);
}

/** Plays a schedule that is no story yet, and judges it by its worst violation. */
export async function firstFilmOf(schedule: Schedule, backend: string): Promise<Film> {
  const played = await playGuarded(schedule, playableSubject(backend), { trace: true });
  return filmFrom(storyOf(played, backend), played);
}

/** The story of a run: its worst violation, or that it kept mutual exclusion. */
function storyOf(played: PlayResult, backend: string): Story {
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
    backend,
    fault: schedule.faults[0]?.kind ?? 'none',
    fenced,
    property,
    schedule,
    expect: { kind: violation?.kind ?? 'ok', hash },
  };
}

function filmFrom(story: Story, played: PlayResult): Film {
  const { scene, differences } = replayed(story, played);
  if (scene === undefined) throw new Error('a run that ended has a scene');
  const names = namesFor(story.schedule);
  return {
    story,
    link: storyToString(story),
    scene,
    differences,
    beginMs: beginOf(played),
    marks: played.injections.map(({ fault, atMs, actors }) => ({
      fault,
      atMs,
      lanes: actors.map(names),
    })),
  };
}

/** The moment of the run at which the times of the schedule begin. */
function beginOf({ history, schedule }: PlayResult): number {
  return (history[0]?.atMs ?? 0) - Math.min(...schedule.ops.map(({ atMs }) => atMs));
}
