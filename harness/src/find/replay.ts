import type { Scene } from '../draw/index.ts';
import { violationOf } from '../search/index.ts';
import type { PlayResult, Story } from '../simulator/index.ts';
import { HangError, type LockRunner } from './lock-runner.ts';
import { sceneOf } from './scene-of.ts';

/** A story, played once more. */
export interface ReplayResult {
  readonly story: Story;
  /** Absent where the lock hung: what never comes to an end leaves nothing to draw. */
  readonly played: PlayResult | undefined;
  readonly scene: Scene | undefined;
  readonly kind: Story['expect']['kind'];
  readonly hash: string;
  /** What is not as the story says, one sentence each. */
  readonly differences: readonly string[];
}

/** Plays a story again and says what came out differently. */
export async function replay(story: Story, trial: LockRunner): Promise<ReplayResult> {
  const played = await playedOn(trial, story);
  const kind = played === undefined ? 'stuck' : (violationOf(played, story)?.kind ?? 'ok');
  const hash = played?.hash ?? '';
  const { expect } = story;
  const isTraced = kind !== 'stuck' && expect.kind !== 'stuck';
  const differences = [
    ...(kind === expect.kind ? [] : [`${story.property} was ${expect.kind}, and is ${kind} now`]),
    ...(hash === expect.hash || !isTraced
      ? []
      : [`the trace was ${expect.hash}, and is ${hash} now`]),
  ];
  const scene = played === undefined ? undefined : sceneOf(played, story);
  return { story, played, scene, kind, hash, differences };
}

/** Undefined where the lock's code never yields, and had to be ended. */
async function playedOn(trial: LockRunner, { schedule }: Story): Promise<PlayResult | undefined> {
  try {
    return await trial.play(schedule);
  } catch (error) {
    if (error instanceof HangError) return undefined;
    throw error;
  }
}
