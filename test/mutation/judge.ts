import { CHECKS, type Outcome, runCheck } from '@holdfast/conformance';
import { play, type Schedule, type Subject } from '@holdfast/harness/simulator';
import { propertyName, violationOf } from '../../harness/test/kit/search.ts';
import { SCENARIOS } from '../broken/zk/scenarios.ts';
import type { CopiedLock } from './copied-lock.ts';
import { FIRST, type ScheduleSet, scheduleSetsOf } from './schedule-sets.ts';

/** The test by which a copy differs from the correct lock; undefined if none does. */
export type Detection = string | undefined;

/** Compares copies of one package with the correct one. */
export class Judge {
  readonly #right: CopiedLock;
  #outcomes: readonly Outcome['kind'][] | undefined;
  readonly #trials = new Map<string, readonly ScheduleSet[]>();

  constructor(right: CopiedLock) {
    this.#right = right;
  }

  async findByContract({ checked }: CopiedLock): Promise<Detection> {
    this.#outcomes ??= await outcomesOf(this.#right);
    for (const [i, check] of CHECKS.entries()) {
      const { kind } = await runCheck(check, checked());
      if (kind !== this.#outcomes[i]) return `contract: ${check.name}`;
    }
    return undefined;
  }

  async findBySchedules(suspect: CopiedLock): Promise<Detection> {
    return (
      (await this.#bySchedules(suspect, 0, FIRST)) ??
      (await byScenes(suspect)) ??
      (await this.#bySchedules(suspect, FIRST))
    );
  }

  async #bySchedules({ subjects }: CopiedLock, from: number, to?: number): Promise<Detection> {
    for (const subject of subjects)
      for (const trial of this.#trialsOf(subject.name))
        for (const schedule of trial.schedules.slice(from, to)) {
          const finding = await bySchedule(schedule, subject, trial);
          if (finding !== undefined) return `schedules: ${finding}`;
        }
    return undefined;
  }

  #trialsOf(name: string): readonly ScheduleSet[] {
    const trials = this.#trials.get(name) ?? scheduleSetsOf(name);
    this.#trials.set(name, trials);
    return trials;
  }
}

async function outcomesOf({ checked }: CopiedLock): Promise<readonly Outcome['kind'][]> {
  const outcomes: Outcome['kind'][] = [];
  for (const check of CHECKS) outcomes.push((await runCheck(check, checked())).kind);
  return outcomes;
}

async function bySchedule(
  schedule: Schedule,
  subject: Subject,
  { name, wanted }: ScheduleSet,
): Promise<Detection> {
  const played = await play(schedule, subject);
  for (const each of wanted)
    if (violationOf(played, each)?.kind === 'violated')
      return `${subject.name}, ${name}, ${propertyName(each)}`;
  return undefined;
}

/** Plays the scenes of zk, each of which needs one event at one moment. */
async function byScenes({ openZk }: CopiedLock): Promise<Detection> {
  if (openZk === undefined) return undefined;
  for (const [name, trial] of Object.entries(SCENARIOS))
    if ((await trial(openZk)) !== undefined) return `scene: ${name}`;
  return undefined;
}
