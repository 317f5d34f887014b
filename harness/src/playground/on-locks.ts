import type { Scene } from '../draw/index.ts';
import { sceneOnLock } from '../find/other-lock.ts';
import { ScheduleError, type Story } from '../simulator/index.ts';
import { playableOf } from './playable.ts';

/** The most locks that are shown beside each other. */
export const COMPARED_MAX = 5;

/**
 * Plays the schedule of a story on other locks, each with the servers it needs and every fault at the same step.
 * @throws ScheduleError for more than {@link COMPARED_MAX} locks, or one that is not built in
 */
export async function scenesOn(story: Story, locks: readonly string[]): Promise<readonly Scene[]> {
  if (locks.length > COMPARED_MAX)
    throw new ScheduleError('', `at most ${COMPARED_MAX} locks can be compared`);
  if (story.schedule.choices !== undefined)
    throw new ScheduleError('', 'this story orders the steps of one lock; others have other steps');
  const subjects = locks.map((lock) => playableOf({ lock }).subject);
  const { player, subject: first } = playableOf({ lock: story.backend, code: story.code });
  const own = await player(story.schedule, first, { trace: true });
  const scenes: Scene[] = [];
  for (const subject of subjects) scenes.push(await sceneOnLock(subject, story, own));
  return scenes;
}
