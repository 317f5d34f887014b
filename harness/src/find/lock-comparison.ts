import { headlineOf, type Scene } from '../draw/index.ts';
import { builtInSubject, LOCKS, subjectOf } from '../locks/index.ts';
import { playGuarded } from '../search/index.ts';
import type { PlayResult, Schedule, Story, Subject } from '../simulator/index.ts';
import { adaptSchedule, pinFaultTimes } from './adapt-schedule.ts';
import { sceneOf } from './scene-of.ts';
import { faultsWithoutEffect } from './why-proves-nothing.ts';
import { worseInMatrix } from './worse-in-matrix.ts';

/** The same schedule on all our locks. */
export interface LockComparison {
  readonly title: string;
  readonly scenes: readonly Scene[];
}

/**
 * Plays the schedule of a story on all locks that talk to servers: one fault, several answers, each of which is about
 * this schedule alone. A lock that is none of those answers first.
 * @param own the story, played on its own lock; found out where that is one of ours
 */
export async function compareLocks(story: Story, own?: PlayResult): Promise<LockComparison> {
  const first = own ?? (await playOnOwnLock(story));
  const others = LOCKS.filter(({ needs }) => needs !== 'nothing').map(({ name }) =>
    subjectOf(name),
  );
  const scenes: Scene[] = [];
  if (first !== undefined && !others.some(({ name }) => name === first.subject))
    scenes.push(sceneOf(first, story, first.subject));
  for (const subject of others) scenes.push(await sceneOnLock(subject, story, first));
  const count = COUNTS[scenes.length] ?? scenes.length;
  return { title: `One fault, ${count} answers, in this schedule: ${story.fault}`, scenes };
}

const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five'];

async function playOnOwnLock({ backend, schedule }: Story): Promise<PlayResult | undefined> {
  const subject = builtInSubject(backend);
  return subject === undefined ? undefined : await playGuarded(schedule, subject, { trace: true });
}

async function sceneOnLock(
  subject: Subject,
  story: Story,
  own: PlayResult | undefined,
): Promise<Scene> {
  const { property, schedule, backend } = story;
  const { ensemble = false } = builtInSubject(backend) ?? {};
  // Not every story is played on as many servers as its lock usually has.
  const from = { nodes: schedule.nodes, ensemble };
  const fit = backend === subject.name ? schedule : adaptSchedule(schedule, { from, to: subject });
  const played = await playOnLock(subject, fit, own);
  // What a lock without tokens does under a fence is no answer to anything.
  const fenced = story.fenced && subject.tokens;
  const title = fenced ? `${subject.name}, fenced` : subject.name;
  const scene = sceneOf(played, { property, fenced }, title);
  const { outcome } = headlineOf(scene);
  return { ...scene, remark: worseInMatrix({ story, lock: subject.name, fenced, outcome }) };
}

/** Where a fault waits for a step that this lock never takes, it strikes when it does on the story's own lock. */
async function playOnLock(
  subject: Subject,
  schedule: Schedule,
  own: PlayResult | undefined,
): Promise<PlayResult> {
  const played = await playGuarded(schedule, subject, { trace: true });
  const unstruck = faultsWithoutEffect(played);
  if (unstruck.length === 0 || own === undefined) return played;
  return await playGuarded(pinFaultTimes(schedule, own, unstruck), subject, { trace: true });
}

/** What each came to, for a table. */
export function outcomesOf({ scenes }: LockComparison): readonly {
  readonly title: string;
  readonly headline: ReturnType<typeof headlineOf>;
}[] {
  return scenes.map((scene) => ({ title: scene.title, headline: headlineOf(scene) }));
}
