import { Inapplicable } from './breach.ts';
import { CHECKS } from './checks.ts';
import { Stage } from './stage.ts';
import type { Check, Subject } from './subject.ts';

/** What became of one check. */
export interface Outcome {
  readonly check: string;
  /** `flawed`: broken, as the subject said it would be. */
  readonly kind: 'kept' | 'broken' | 'skipped' | 'flawed';
  /** What was broken, or why it was skipped. */
  readonly reason?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Plays one check on a subject made for it, which is closed afterwards; never rejects for what the backend does.
 * @throws Error for a declared flaw that names no check
 */
export async function runCheck(check: Check, subject: Subject): Promise<Outcome> {
  rejectUnknownFlaws(subject);
  const flaw = subject.flaws?.[check.name];
  const outcome = await outcomeOf(check, subject);
  if (flaw === undefined || outcome.kind === 'skipped') return outcome;
  if (outcome.kind === 'broken') return { ...outcome, kind: 'flawed', reason: flaw };
  const reason = `declared as a flaw (${flaw}), but it was kept`;
  return { check: check.name, kind: 'broken', reason };
}

async function outcomeOf(check: Check, subject: Subject): Promise<Outcome> {
  const { name } = check;
  try {
    const reason = check.needs?.(subject);
    if (reason !== undefined) return { check: name, kind: 'skipped', reason };
    await runOnStage(check, subject);
    return { check: name, kind: 'kept' };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const kind = cause instanceof Inapplicable ? 'skipped' : 'broken';
    return { check: name, kind, reason, cause };
  } finally {
    await subject.close?.();
  }
}

async function runOnStage(check: Check, subject: Subject): Promise<void> {
  const run = async (): Promise<void> => {
    const stage = new Stage(subject);
    try {
      await check.run(stage);
    } finally {
      await stage.close();
    }
  };
  await (subject.play === undefined ? run() : subject.play(run));
}

/** Plays every check, one after the other, each on a subject of its own. */
export async function checkBackend(make: () => Subject | Promise<Subject>): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of CHECKS) outcomes.push(await runCheck(check, await make()));
  return outcomes;
}

/** A flaw under a name that no check has would excuse nothing, and nobody would notice. */
function rejectUnknownFlaws({ flaws = {} }: Subject): void {
  const names = new Set(CHECKS.map(({ name }) => name));
  const unknown = Object.keys(flaws).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Error(`no check is called: ${unknown.join('; ')}`);
}
