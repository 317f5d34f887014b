import {
  exhaust,
  play,
  type Schedule,
  type Subject,
  shorten,
  type TimeModel,
} from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { subjectOf } from '../../harness/test/kit/locks.ts';
import { violationOf } from '../../harness/test/kit/search.ts';
import { mutantOf } from './copied-subjects.ts';
import { VALIDITY } from './mutant.ts';
import { MUTANTS } from './mutants/index.ts';

const BUDGET = 20_000;
/** Searches are not timed: a busy machine takes long. */
const TIMEOUT_MS = 600_000;

/** The first order that shows two valid holders, made short. */
async function storyOf(subject: Subject, clients: number, timeModel: TimeModel): Promise<Schedule> {
  const shown: Schedule[] = [];
  const scope = { clients, nodes: 1 };
  await exhaust(subject, scope, {
    timeModel,
    budget: BUDGET,
    onRun: ({ played }) => {
      if (violationOf(played, VALIDITY)?.kind === 'violated') shown.push(played.schedule);
      return shown.length === 0;
    },
  });
  const [first] = shown;
  if (first === undefined) throw new Error('no order shows it');
  return await shorten(first, (schedule) => shows(schedule, subject));
}

async function shows(schedule: Schedule, subject: Subject): Promise<boolean> {
  return violationOf(await play(schedule, subject), VALIDITY)?.kind === 'violated';
}

describe.each<[mutant: string, clients: number, timeModel: TimeModel]>([
  ['get-then-del', 3, 'calls are in time'],
  ['validity-from-reply', 2, 'calls time out'],
  ['every-stamp-expired', 2, 'calls are in time'],
])('%s, %i clients, %s', { timeout: TIMEOUT_MS }, (name, clients, timeModel) => {
  test('an order shows two valid holders, replays with an equal trace, and the correct lock withstands it', async () => {
    const mutant = MUTANTS.find((each) => each.name === name);
    if (mutant === undefined) throw new Error(`unknown mutant "${name}"`);
    const wrong = await mutantOf(mutant, mutant.trial.subject);

    const story = await storyOf(wrong, clients, timeModel);
    const [one, other] = [
      await play(story, wrong, { trace: true }),
      await play(story, wrong, { trace: true }),
    ];

    expect(one.hash).toBe(other.hash);
    expect(await shows(story, subjectOf(mutant.trial.subject))).toBe(false);
  });
});
