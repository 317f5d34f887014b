import type { Scene } from '../draw/index.ts';
import { violationOf } from '../search/index.ts';
import type { PlayResult, Story } from '../simulator/index.ts';
import { HangError, type LockRunner } from './lock-runner.ts';
import { sceneOf } from './scene-of.ts';

/** The result of replaying a story. */
export interface ReplayResult {
  readonly story: Story;
  /** Absent if the lock hung: a run without an end cannot be drawn. */
  readonly played: PlayResult | undefined;
  readonly scene: Scene | undefined;
  readonly kind: Story['expect']['kind'];
  readonly hash: string;
  /** The differences from the story, one sentence each. */
  readonly differences: readonly string[];
}

/** Replays a story and lists the differences. */
export async function replay(story: Story, runner: LockRunner): Promise<ReplayResult> {
  return replayed(story, await playedOn(runner, story));
}

/** The result of a run of the story; `played` is absent if the lock hung. */
export function replayed(story: Story, played: PlayResult | undefined): ReplayResult {
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

/** Undefined if the lock's code never yields and its thread was terminated. */
async function playedOn(runner: LockRunner, { schedule }: Story): Promise<PlayResult | undefined> {
  try {
    return await runner.play(schedule);
  } catch (error) {
    if (error instanceof HangError) return undefined;
    throw error;
  }
}
