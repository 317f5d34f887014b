import { CHECKS, type Outcome, runCheck } from '@holdfast/conformance';
import { play, type Schedule, type Subject } from '@holdfast/harness/simulator';
import { nameOf, violationOf } from '../../harness/src/search/index.ts';
import { TRIALS } from '../broken/zk/trials.ts';
import { FIRST, type Trial, trialsOf } from './battery.ts';
import type { Suspect } from './suspect.ts';

/** By what a copy is found not to be the right lock; undefined when nothing tells them apart. */
export type Finding = string | undefined;

/** Holds copies of one package to what the right one does. */
export class Judge {
  readonly #right: Suspect;
  #outcomes: readonly Outcome['kind'][] | undefined;
  readonly #trials = new Map<string, readonly Trial[]>();

  constructor(right: Suspect) {
    this.#right = right;
  }

  async findByContract({ checked }: Suspect): Promise<Finding> {
    this.#outcomes ??= await outcomesOf(this.#right);
    for (const [i, check] of CHECKS.entries()) {
      const { kind } = await runCheck(check, checked());
      if (kind !== this.#outcomes[i]) return `contract: ${check.name}`;
    }
    return undefined;
  }

  async findBySchedules(suspect: Suspect): Promise<Finding> {
    return (
      (await this.#bySchedules(suspect, 0, FIRST)) ??
      (await byScenes(suspect)) ??
      (await this.#bySchedules(suspect, FIRST))
    );
  }

  async #bySchedules({ subjects }: Suspect, from: number, to?: number): Promise<Finding> {
    for (const subject of subjects)
      for (const trial of this.#trialsOf(subject.name))
        for (const schedule of trial.schedules.slice(from, to)) {
          const finding = await bySchedule(schedule, subject, trial);
          if (finding !== undefined) return `schedules: ${finding}`;
        }
    return undefined;
  }

  #trialsOf(name: string): readonly Trial[] {
    const trials = this.#trials.get(name) ?? trialsOf(name);
    this.#trials.set(name, trials);
    return trials;
  }
}

async function outcomesOf({ checked }: Suspect): Promise<readonly Outcome['kind'][]> {
  const outcomes: Outcome['kind'][] = [];
  for (const check of CHECKS) outcomes.push((await runCheck(check, checked())).kind);
  return outcomes;
}

async function bySchedule(
  schedule: Schedule,
  subject: Subject,
  { name, wanted }: Trial,
): Promise<Finding> {
  const played = await play(schedule, subject);
  for (const each of wanted)
    if (violationOf(played, each)?.kind === 'violated')
      return `${subject.name}, ${name}, ${nameOf(each)}`;
  return undefined;
}

/** What zk is tried by, scene by scene, where each needs one thing to happen at one moment. */
async function byScenes({ openZk }: Suspect): Promise<Finding> {
  if (openZk === undefined) return undefined;
  for (const [name, trial] of Object.entries(TRIALS))
    if ((await trial(openZk)) !== undefined) return `scene: ${name}`;
  return undefined;
}
