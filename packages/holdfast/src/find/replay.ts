import type { Scene } from '@holdfast/check';
import type { Story } from '@holdfast/sim';
import { violationOf } from '../search/index.ts';
import { sceneOf } from './scene-of.ts';
import type { Trial } from './trial.ts';

/** A story, played once more. */
export interface Replayed {
  readonly story: Story;
  readonly scene: Scene;
  readonly kind: Story['expect']['kind'];
  readonly hash: string;
  /** What is not as the story says, one sentence each. */
  readonly differences: readonly string[];
}

/** Plays a story again and says what came out differently. */
export async function replay(story: Story, trial: Trial): Promise<Replayed> {
  const played = await trial.play(story.schedule);
  const kind = violationOf(played, story)?.kind ?? 'ok';
  const hash = played.hash ?? '';
  const { expect } = story;
  const differences = [
    ...(kind === expect.kind ? [] : [`${story.property} was ${expect.kind}, and is ${kind} now`]),
    ...(hash === expect.hash ? [] : [`the trace was ${expect.hash}, and is ${hash} now`]),
  ];
  return { story, scene: sceneOf(played, story), kind, hash, differences };
}
