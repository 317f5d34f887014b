import type { CellResult, FirstViolation } from '../matrix/index.ts';
import { replayTraced } from '../search/index.ts';
import { type Subject, storyToString } from '../simulator/index.ts';
import type { Evidence } from './report.ts';

/** Kinds of violation, by the names of a tally, worst first. */
const WORST = ['validity', 'fenced', 'liveness', 'open', 'belief'];

/** The evidence of a cell that was run in the simulator. */
export async function simulatedEvidence(trial: CellResult, subject: Subject): Promise<Evidence> {
  const { schedules, effective, ops, accepted, violated } = trial.tally;
  const isLocked = subject.open !== undefined;
  const count = (name: string): number => violated[name] ?? 0;
  return {
    trials: schedules,
    effective,
    asked: ops,
    sent: accepted,
    validityViolated: isLocked ? count('validity') : null,
    beliefViolated: isLocked ? count('belief') : null,
    unfencedViolated: count('open'),
    fencedViolated: subject.tokens ? count('fenced') : null,
    stuck: count('liveness'),
    unfenced: null,
    fenced: null,
    ...(await firstOf(trial, subject)),
  };
}

/** The sentence on the worst violation, with its replay string. */
async function firstOf(
  trial: CellResult,
  subject: Subject,
): Promise<Pick<Evidence, 'example' | 'replay' | 'flaw'>> {
  const finding = worstOf(trial);
  if (finding === undefined) return {};
  const { kind, message } = finding.violation;
  const replay = await replayOf(finding, subject);
  return kind === 'unknown' ? { flaw: message, replay } : { example: message, replay };
}

/** The first violation of the worst kind. */
export function worstOf({ findings }: CellResult): FirstViolation | undefined {
  return WORST.flatMap((name) => findings.get(name) ?? [])[0];
}

/** The replay string of a violation, for `holdfast replay`. */
async function replayOf(
  { schedule, violation }: FirstViolation,
  subject: Subject,
): Promise<string> {
  return storyToString((await replayTraced(schedule, subject, violation)).story);
}
