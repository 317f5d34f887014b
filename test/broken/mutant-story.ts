import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  minimise,
  type PlayResult,
  parseStoryText,
  type Schedule,
  type Story,
} from '@holdfast/harness/simulator';
import type { Violation } from '../../harness/test/kit/search.ts';
import { detect, violationFound } from './detect.ts';
import type { AnyMutant } from './mutant.ts';
import { mutantPlayer, rightPlayer, type SchedulePlayer } from './schedule-players.ts';

/** The smallest schedule that detects a mutant, and the verdict on the correct lock. */
export interface MutantStory {
  readonly mutant: AnyMutant;
  readonly played: PlayResult;
  readonly violation: Violation;
  readonly story: Story;
  /** The same schedule on the right lock, which withstands it. */
  readonly onRightLock: Story;
}

interface LockPair {
  readonly wrong: SchedulePlayer;
  readonly right: SchedulePlayer;
}

/** The file that keeps the story of a mutant. */
export function storyFile({ name }: Pick<AnyMutant, 'name'>): string {
  return fileURLToPath(new URL(`stories/${name}.json`, import.meta.url));
}

/** The story that is kept, or a new one where that shows nothing any more: finding and minimising takes seconds. */
export async function mutantStoryOf(mutant: AnyMutant): Promise<MutantStory> {
  const pair = { wrong: await mutantPlayer(mutant), right: await rightPlayer(mutant) };
  const kept = keptSchedule(mutant);
  const story = kept && (await storyFor(kept, pair, mutant));
  if (story !== undefined) return story;
  const renewed = await storyFor(await smallest(pair, mutant), pair, mutant);
  if (renewed === undefined) throw new Error(`${mutant.name}: a trace changes what happens`);
  return renewed;
}

function keptSchedule(mutant: AnyMutant): Schedule | undefined {
  const file = storyFile(mutant);
  return existsSync(file) ? parseStoryText(readFileSync(file, 'utf8')).schedule : undefined;
}

async function smallest(pair: LockPair, mutant: AnyMutant): Promise<Schedule> {
  const detection = await detect(pair.wrong, mutant.trial, { seed: 1 });
  if (detection === undefined) throw new Error(`${mutant.name} is not detected any more`);
  if (!(await shows(detection.schedule, pair, mutant)))
    throw new Error(
      `${mutant.name} is detected for another reason: ${detection.violation.message}`,
    );
  const { schedule } = await minimise(detection.schedule, (each) => shows(each, pair, mutant));
  return schedule;
}

/** For the very reason, and by what the right lock withstands. */
async function shows(
  schedule: Schedule,
  { wrong, right }: LockPair,
  { trial, detectedBy }: AnyMutant,
): Promise<boolean> {
  const violation = violationFound(await wrong(schedule), trial);
  if (violation === undefined || !detectedBy.test(violation.message)) return false;
  return violationFound(await right(schedule), trial) === undefined;
}

/** Undefined if the schedule does not show the mutant, as `shows` says. */
async function storyFor(
  schedule: Schedule,
  { wrong, right }: LockPair,
  mutant: AnyMutant,
): Promise<MutantStory | undefined> {
  const { trial, name, detectedBy } = mutant;
  const played = await wrong(schedule, { trace: true });
  const violation = violationFound(played, trial);
  if (violation === undefined || !detectedBy.test(violation.message)) return undefined;
  const onRight = await right(schedule, { trace: true });
  if (violationFound(onRight, trial) !== undefined) return undefined;
  const { property, fenced } = trial.target;
  const fault = schedule.faults[0]?.kind ?? 'none';
  const point = { v: 1, fault, fenced, property, schedule } as const;
  return {
    mutant,
    played,
    violation,
    story: { ...point, backend: name, expect: { kind: 'violated', hash: played.hash ?? '' } },
    onRightLock: {
      ...point,
      backend: trial.subject,
      expect: { kind: 'ok', hash: onRight.hash ?? '' },
    },
  };
}
