import type { FaultId } from '@holdfast/core';
import { overlapMs } from '../check/index.ts';
import {
  minimise,
  type PlayResult,
  type Schedule,
  type Story,
  type Subject,
} from '../simulator/index.ts';
import { playGuarded } from './play-guarded.ts';
import { type TargetProperty, type Violation, violationOf } from './violations.ts';

/** A story, with the traced run that it comes from. */
export interface TracedStory {
  readonly story: Story;
  readonly played: PlayResult;
  readonly violation: Violation;
  /** How many plays minimising took. */
  readonly plays: number;
}

interface StoryOptions {
  /** Of the minimiser. */
  readonly seed?: number;
  readonly playsMax?: number;
  /** Told before every play. */
  readonly onPlay?: (schedule: Schedule) => void;
  /** On by default, as in a search. */
  readonly guard?: boolean;
}

/** Two who hold at once for less than this are nothing that a reader, or a drawing, could show anybody. */
const VISIBLE_MS = 1;

/** What a smaller schedule must still come to. */
interface ShrinkTarget {
  readonly kind: Violation['kind'] | undefined;
  /** For how long two were in one another's way, as far as it matters; 0 where the property is not about that. */
  readonly overlapMs: number;
}

/** Makes a schedule that violates `wanted` as small as it goes, and a story of it. */
export async function minimiseToStory(
  schedule: Schedule,
  subject: Subject,
  wanted: TargetProperty,
  { onPlay, guard = true, ...options }: StoryOptions = {},
): Promise<TracedStory> {
  const shownBy = async (candidate: Schedule): Promise<ShrinkTarget> => {
    onPlay?.(candidate);
    return shrinkTargetIn(await playGuarded(candidate, subject, { guard }), wanted);
  };
  // A history that cannot be judged must not be what a broken lock is shrunk to, nor the other way round; and a clash
  // that lasts must not be shrunk to one that nobody sees.
  const found = await shownBy(schedule);
  const fails = async (candidate: Schedule): Promise<boolean> => {
    if (found.kind === undefined) return false;
    const { kind, overlapMs: lastsMs } = await shownBy(candidate);
    return kind === found.kind && lastsMs >= found.overlapMs;
  };
  const minimised = await minimise(schedule, fails, options);
  return {
    ...(await replayTraced(minimised.schedule, subject, wanted, { guard })),
    plays: minimised.plays,
  };
}

function shrinkTargetIn(played: PlayResult, wanted: TargetProperty): ShrinkTarget {
  const kind = violationOf(played, wanted)?.kind;
  const { property } = wanted;
  const isClash = kind === 'violated' && (property === 'validity' || property === 'belief');
  const lastsMs = isClash ? overlapMs(played.history, property) : 0;
  return { kind, overlapMs: Math.min(VISIBLE_MS, lastsMs) };
}

/** Plays a schedule once more with its trace, and writes down what came of it. */
export async function replayTraced(
  schedule: Schedule,
  subject: Subject,
  wanted: TargetProperty,
  { guard = true }: Pick<StoryOptions, 'guard'> = {},
): Promise<Omit<TracedStory, 'plays'>> {
  const played = await playGuarded(schedule, subject, { trace: true, guard });
  const violation = violationOf(played, wanted);
  if (violation === undefined || played.hash === undefined)
    throw new Error(`${subject.name}: the schedule shows nothing when it is played again`);
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
