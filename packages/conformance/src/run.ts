import { Inapplicable } from './breach.ts';
import { CHECKS } from './checks.ts';
import { Stage } from './stage.ts';
import type { BackendUnderTest, Check } from './subject.ts';

/** The outcome of one check. */
export interface Outcome {
  /** The name of the check. */
  readonly check: string;
  /** `flawed`: broken, as the subject declares. */
  readonly kind: 'kept' | 'broken' | 'skipped' | 'flawed';
  /** The rule that was broken, or the reason of the skip. */
  readonly reason?: string | undefined;
  /** The error with which the check ended, if it was broken. */
  readonly cause?: unknown;
}

/**
 * Runs one check on its own subject, which is closed afterwards. Never rejects because of the backend.
 * @example
 * ```ts
 * for (const check of CHECKS) {
 *   const { kind, reason } = await runCheck(check, subject);
 *   log(check.name, kind, reason);
 * }
 * ```
 * @throws Error for a declared flaw whose name is not a check
 */
export async function runCheck(check: Check, subject: BackendUnderTest): Promise<Outcome> {
  rejectUnknownFlaws(subject);
  const flaw = subject.flaws?.[check.name];
  const outcome = await outcomeOf(check, subject);
  if (flaw === undefined || outcome.kind === 'skipped') return outcome;
  if (outcome.kind === 'broken') return { ...outcome, kind: 'flawed', reason: flaw };
  const reason = `declared as a flaw (${flaw}), but it was kept`;
  return { check: check.name, kind: 'broken', reason };
}

async function outcomeOf(check: Check, subject: BackendUnderTest): Promise<Outcome> {
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

async function runOnStage(check: Check, subject: BackendUnderTest): Promise<void> {
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

/**
 * Runs all checks, one after the other, each on its own subject.
 * @example
 * ```ts
 * const outcomes = await checkBackend(() => ({
 *   capabilities,
 *   open: (host) => openRedisSimple({ source: 'redis://localhost' }, host),
 * }));
 * log(outcomes.filter(({ kind }) => kind === 'broken'));
 * ```
 */
export async function checkBackend(
  make: () => BackendUnderTest | Promise<BackendUnderTest>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const check of CHECKS) outcomes.push(await runCheck(check, await make()));
  return outcomes;
}

/** Rejects a flaw whose name is not a check, since it would be ignored silently. */
function rejectUnknownFlaws({ flaws = {} }: BackendUnderTest): void {
  const names = new Set(CHECKS.map(({ name }) => name));
  const unknown = Object.keys(flaws).filter((name) => !names.has(name));
  if (unknown.length > 0)
    throw new Error(`unknown check in flaws: ${unknown.join('; ')}; use the name of a check`);
}
