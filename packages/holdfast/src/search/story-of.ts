import type { FaultId } from '@holdfast/core';
import {
  minimise,
  type Played,
  play,
  type Schedule,
  type Story,
  type Subject,
} from '@holdfast/sim';
import { type Violation, violationOf, type Wanted } from './judged.ts';

/** A story, with the traced run that it comes from. */
export interface Told {
  readonly story: Story;
  readonly played: Played;
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
}

/** Makes a schedule that violates `wanted` as small as it goes, and a story of it. */
export async function storyOf(
  schedule: Schedule,
  subject: Subject,
  wanted: Wanted,
  { onPlay, ...options }: StoryOptions = {},
): Promise<Told> {
  const kindOf = async (candidate: Schedule): Promise<Violation['kind'] | undefined> => {
    onPlay?.(candidate);
    return violationOf(await play(candidate, subject), wanted)?.kind;
  };
  // A history that cannot be judged must not be what a broken lock is shrunk to, nor the other way round.
  const kind = await kindOf(schedule);
  const fails = async (candidate: Schedule): Promise<boolean> =>
    kind !== undefined && (await kindOf(candidate)) === kind;
  const minimised = await minimise(schedule, fails, options);
  return { ...(await tell(minimised.schedule, subject, wanted)), plays: minimised.plays };
}

/** Plays a schedule once more with its trace, and writes down what came of it. */
export async function tell(
  schedule: Schedule,
  subject: Subject,
  wanted: Wanted,
): Promise<Omit<Told, 'plays'>> {
  const played = await play(schedule, subject, { trace: true });
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
