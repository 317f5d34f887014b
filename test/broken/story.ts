import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  minimise,
  type Played,
  parseStoryText,
  type Schedule,
  type Story,
} from '@holdfast/harness/simulator';
import type { Violation } from '../../harness/src/search/index.ts';
import { convict, objection } from './convict.ts';
import type { Culprit } from './mutant.ts';
import { innocentOf, type Suspect, suspectOf } from './suspects.ts';

/** What convicts a mutant, as small as it goes, and what the right lock makes of it. */
export interface Finding {
  readonly mutant: Culprit;
  readonly played: Played;
  readonly violation: Violation;
  readonly story: Story;
  /** The same schedule on the right lock, which withstands it. */
  readonly withstood: Story;
}

interface Pair {
  readonly wrong: Suspect;
  readonly right: Suspect;
}

/** Where the story of a mutant is kept. */
export function storyFile({ name }: Pick<Culprit, 'name'>): string {
  return fileURLToPath(new URL(`stories/${name}.json`, import.meta.url));
}

/** The story that is kept, or a new one where that shows nothing any more: finding and minimising takes seconds. */
export async function findingOf(mutant: Culprit): Promise<Finding> {
  const pair = { wrong: await suspectOf(mutant), right: await innocentOf(mutant) };
  const kept = keptSchedule(mutant);
  const isGood = kept !== undefined && (await shows(kept, pair, mutant));
  const schedule = isGood ? kept : await smallest(pair, mutant);
  return await told(schedule, pair, mutant);
}

function keptSchedule(mutant: Culprit): Schedule | undefined {
  const file = storyFile(mutant);
  return existsSync(file) ? parseStoryText(readFileSync(file, 'utf8')).schedule : undefined;
}

async function smallest(pair: Pair, mutant: Culprit): Promise<Schedule> {
  const conviction = await convict(pair.wrong, mutant.trial, { seed: 1 });
  if (conviction === undefined) throw new Error(`${mutant.name} is not convicted any more`);
  if (!(await shows(conviction.schedule, pair, mutant)))
    throw new Error(
      `${mutant.name} is convicted for another reason: ${conviction.violation.message}`,
    );
  const { schedule } = await minimise(conviction.schedule, (each) => shows(each, pair, mutant));
  return schedule;
}

/** For the very reason, and by what the right lock withstands. */
async function shows(
  schedule: Schedule,
  { wrong, right }: Pair,
  { trial, convictedBy }: Culprit,
): Promise<boolean> {
  const violation = objection(await wrong(schedule), trial);
  if (violation === undefined || !convictedBy.test(violation.message)) return false;
  return objection(await right(schedule), trial) === undefined;
}

async function told(schedule: Schedule, { wrong, right }: Pair, mutant: Culprit): Promise<Finding> {
  const { trial, name } = mutant;
  const played = await wrong(schedule, { trace: true });
  const violation = objection(played, trial);
  if (violation === undefined) throw new Error(`${name}: a trace changes what happens`);
  const { hash = '' } = await right(schedule, { trace: true });
  const { property, fenced } = trial.wanted;
  const fault = schedule.faults[0]?.kind ?? 'none';
  const point = { v: 1, fault, fenced, property, schedule } as const;
  return {
    mutant,
    played,
    violation,
    story: { ...point, backend: name, expect: { kind: 'violated', hash: played.hash ?? '' } },
    withstood: { ...point, backend: trial.subject, expect: { kind: 'ok', hash } },
  };
}
