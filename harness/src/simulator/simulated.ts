import type { FaultId } from '@holdfast/core/backend';
import type fc from 'fast-check';
import { FAULTS } from '../faults/index.ts';
import { clusterOf, loadServers } from '../servers/cluster-of.ts';
import * as exhausting from '../sim/exhaustive/exhaust.ts';
import type { Explored } from '../sim/exhaustive/explore.ts';
import type { Setup } from '../sim/schedule/arbitraries.ts';
import * as schedules from '../sim/schedule/arbitraries.ts';
import { NONE } from '../sim/schedule/fault.ts';
import type { Minimised, MinimiseOptions, StillFails } from '../sim/schedule/minimise.ts';
import * as minimising from '../sim/schedule/minimise.ts';
import * as parsing from '../sim/schedule/parse.ts';
import type { PlayOptions, PlayResult } from '../sim/schedule/play.ts';
import * as playing from '../sim/schedule/play.ts';
import type { Schedule } from '../sim/schedule/schedule.ts';
import type { Story } from '../sim/schedule/story.ts';
import * as stories from '../sim/schedule/story.ts';
import type { Subject } from '../sim/schedule/subject.ts';

// The simulator with all faults and all kinds of servers.

/** All faults, contention alone first, in the order in which they are shown everywhere. */
export const FAULT_IDS: readonly FaultId[] = [NONE, ...FAULTS.ids];

/**
 * Describes a fault, for legends.
 * @throws RangeError for an unknown fault
 */
export function meaningOfFault(id: FaultId): string {
  return id === NONE ? 'contention only' : FAULTS.get(id).meaning;
}

/** {@link playing.play} */
export async function play(
  schedule: Schedule,
  subject: Subject,
  options?: PlayOptions,
): Promise<PlayResult> {
  await loadServers(subject);
  return await playing.play({ faults: FAULTS, clusterOf }, schedule, subject, options);
}

/** {@link exhausting.exhaust} */
export async function exhaust(
  subject: Subject,
  scope: exhausting.Scope,
  options: exhausting.ExhaustOptions,
): Promise<Explored> {
  await loadServers(subject);
  return await exhausting.exhaust(clusterOf, subject, scope, options);
}

/** {@link schedules.schedulesFor} */
export function schedulesFor(ids: readonly FaultId[], setup: Setup): fc.Arbitrary<Schedule> {
  return schedules.schedulesFor(FAULTS, ids, setup);
}

/** {@link minimising.minimise} */
export function minimise(
  schedule: Schedule,
  fails: StillFails,
  options?: MinimiseOptions,
): Promise<Minimised> {
  return minimising.minimise(FAULTS, schedule, fails, options);
}

/** {@link parsing.parseSchedule} */
export function parseSchedule(value: unknown, path?: string): Schedule {
  return parsing.parseSchedule(FAULTS, value, path);
}

/** {@link stories.parseStory} */
export function parseStory(value: unknown): Story {
  return stories.parseStory(FAULTS, value);
}

/** {@link stories.parseStoryText} */
export function parseStoryText(text: string): Story {
  return stories.parseStoryText(FAULTS, text);
}

/** {@link stories.storyFromString} */
export function storyFromString(text: string): Story {
  return stories.storyFromString(FAULTS, text);
}

/** True if a fault cannot happen without servers: it affects them, their connections, or messages to them. */
export function needsServers(id: FaultId): boolean {
  return FAULTS.find(id)?.needs !== undefined;
}
