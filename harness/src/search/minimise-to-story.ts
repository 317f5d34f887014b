import type { FaultId } from '@holdfast/core/backend';
import { overlapMs } from '../check/index.ts';
import {
  minimise,
  type PlayResult,
  type Schedule,
  type Story,
  type Subject,
} from '../simulator/index.ts';
import { type Player, playGuarded } from './play-guarded.ts';
import { type TargetProperty, type Violation, violationOf } from './violations.ts';

/** A story, with the traced run that it comes from. */
export interface TracedStory {
  readonly story: Story;
  readonly played: PlayResult;
  readonly violation: Violation;
  /** The number of runs that minimising took. */
  readonly plays: number;
}

interface StoryOptions {
  /** The seed of the minimiser. */
  readonly seed?: number;
  readonly playsMax?: number;
  /** Called before every run. */
  readonly onPlay?: (schedule: Schedule) => void;
  /** On by default, as in a search. */
  readonly guard?: boolean;
  readonly player?: Player;
}

/** An overlap shorter than this is not visible in a drawing. */
const VISIBLE_MS = 1;

/** The result that a smaller schedule still has to show. */
interface ShrinkTarget {
  readonly kind: Violation['kind'] | undefined;
  /** The length of the overlap, up to what is visible; 0 for other properties. */
  readonly overlapMs: number;
}

/** Minimises a schedule that violates `wanted`, and makes a story of it. */
export async function minimiseToStory(
  schedule: Schedule,
  subject: Subject,
  wanted: TargetProperty,
  { onPlay, guard = true, player = playGuarded, ...options }: StoryOptions = {},
): Promise<TracedStory> {
  const shownBy = async (candidate: Schedule): Promise<ShrinkTarget> => {
    onPlay?.(candidate);
    return shrinkTargetIn(await player(candidate, subject, { guard }), wanted);
  };
  // A broken lock must not shrink to a history that cannot be judged, nor the reverse, and a visible overlap must stay
  // visible.
  const found = await shownBy(schedule);
  const fails = async (candidate: Schedule): Promise<boolean> => {
    if (found.kind === undefined) return false;
    const { kind, overlapMs: lastsMs } = await shownBy(candidate);
    return kind === found.kind && lastsMs >= found.overlapMs;
  };
  const minimised = await minimise(schedule, fails, options);
  return {
    ...(await replayTraced(minimised.schedule, subject, wanted, { guard, player })),
    plays: minimised.plays,
  };
}

function shrinkTargetIn(played: PlayResult, wanted: TargetProperty): ShrinkTarget {
  const kind = violationOf(played, wanted)?.kind;
  const { property } = wanted;
  const isOverlap = kind === 'violated' && (property === 'validity' || property === 'belief');
  const lastsMs = isOverlap ? overlapMs(played.history, property) : 0;
  return { kind, overlapMs: Math.min(VISIBLE_MS, lastsMs) };
}

/** Runs a schedule again with a trace, and makes a story of the result. */
export async function replayTraced(
  schedule: Schedule,
  subject: Subject,
  wanted: TargetProperty,
  { guard = true, player = playGuarded }: Pick<StoryOptions, 'guard' | 'player'> = {},
): Promise<Omit<TracedStory, 'plays'>> {
  const played = await player(schedule, subject, { trace: true, guard });
  const violation = violationOf(played, wanted);
  if (violation === undefined || played.hash === undefined)
    throw new Error(`${subject.name}: the schedule shows no violation when it runs again`);
  const { property, fenced } = wanted;
  const expect = { kind: violation.kind, hash: played.hash };
  const story: Story = {
    v: 1,
    backend: subject.name,
    fault: faultOf(schedule),
    fenced,
    property,
    schedule,
    expect,
  };
  return { story, played, violation };
}

function faultOf({ faults }: Schedule): FaultId {
  return faults[0]?.kind ?? 'none';
}
