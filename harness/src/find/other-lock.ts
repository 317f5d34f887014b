import type { Scene } from '../draw/index.ts';
import { builtInSubject } from '../locks/index.ts';
import { playGuarded } from '../search/index.ts';
import type { PlayResult, Schedule, Story, Subject } from '../simulator/index.ts';
import { adaptSchedule, faultsWithoutEffect, pinFaultTimes } from './adapt-schedule.ts';
import { sceneOf } from './scene-of.ts';

/**
 * Runs the schedule of a story on another lock, or on its own.
 * @param own the run of the story on its own lock, if there is one
 */
export async function sceneOnLock(
  subject: Subject,
  story: Story,
  own: PlayResult | undefined,
): Promise<Scene> {
  const { property, schedule, backend } = story;
  const { ensemble = false } = builtInSubject(backend) ?? {};
  // A story may use another number of servers than its lock usually has.
  const from = { nodes: schedule.nodes, ensemble };
  const fit = backend === subject.name ? schedule : adaptSchedule(schedule, { from, to: subject });
  const played = await playOnLock(subject, fit, own);
  const fenced = isFenced(story, subject);
  return sceneOf(played, { property, fenced }, fenced ? `${subject.name}, fenced` : subject.name);
}

/** A resource that compares tokens says nothing about a lock without tokens. */
export function isFenced({ fenced }: Story, { tokens }: Subject): boolean {
  return fenced && tokens;
}

/** A fault that waits for a step this lock does not have takes effect at the time of the story's own lock. */
async function playOnLock(
  subject: Subject,
  schedule: Schedule,
  own: PlayResult | undefined,
): Promise<PlayResult> {
  const played = await playGuarded(schedule, subject, { trace: true });
  const withoutEffect = faultsWithoutEffect(played);
  if (withoutEffect.length === 0 || own === undefined) return played;
  return await playGuarded(pinFaultTimes(schedule, own, withoutEffect), subject, { trace: true });
}
