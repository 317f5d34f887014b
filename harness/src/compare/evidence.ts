import type { FaultId, HistoryEvent, Verdict } from '@holdfast/core';
import { belief, mutualExclusion } from '../check/index.ts';
import type { Evidence, Updates } from './report.ts';
import { tookEffect } from './took-effect.ts';

type Write = Extract<HistoryEvent, { readonly type: 'write' }>;

/** What happened in one schedule, or in one repetition on real servers. */
export type History = readonly HistoryEvent[];

/** Sums up what the judges say of every trial. */
export function evidenceOf(
  trials: readonly History[],
  fault: FaultId,
  isLocked: boolean,
): Evidence {
  const validity = isLocked ? trials.map(mutualExclusion) : [];
  const beliefs = isLocked ? trials.map(belief) : [];
  const verdicts = [...validity, ...beliefs];
  const example = first(verdicts, 'violated');
  const flaw = first(verdicts, 'unknown');
  const unfenced = updatesOf(trials, false);
  const hasTokens = trials.some((history) => history.some(isFencedWrite));
  const fenced = isLocked && hasTokens ? updatesOf(trials, true) : null;
  return {
    trials: trials.length,
    effective: trials.filter((history) => tookEffect(history, fault, isLocked)).length,
    asked: unfenced.accepted + unfenced.refused,
    sent: unfenced.accepted,
    validityViolated: isLocked ? countKind(validity, 'violated') : null,
    beliefViolated: isLocked ? countKind(beliefs, 'violated') : null,
    unfencedViolated: trials.filter((history) => updates(history, false).lost > 0).length,
    fencedViolated:
      fenced === null ? null : trials.filter((history) => updates(history, true).lost > 0).length,
    stuck: 0,
    unfenced,
    fenced,
    ...(example === undefined ? {} : { example }),
    ...(flaw === undefined ? {} : { flaw }),
  };
}

function isFencedWrite(event: HistoryEvent): boolean {
  return event.type === 'write' && event.fenced;
}

function updatesOf(trials: readonly History[], fenced: boolean): Updates {
  const each = trials.map((history) => updates(history, fenced));
  return {
    accepted: sum(each.map(({ accepted }) => accepted)),
    refused: sum(each.map(({ refused }) => refused)),
    lost: sum(each.map(({ lost }) => lost)),
  };
}

/** Every accepted write adds one to what it read, so what the counter lacks at the end was overwritten. */
function updates(history: History, fenced: boolean): Updates {
  const writes = history.filter(
    (event): event is Write => event.type === 'write' && event.fenced === fenced,
  );
  const accepted = writes.filter((write) => write.accepted);
  const value = accepted.at(-1)?.value ?? 0;
  return {
    accepted: accepted.length,
    refused: writes.length - accepted.length,
    lost: accepted.length - value,
  };
}

function countKind(verdicts: readonly Verdict[], kind: Verdict['kind']): number {
  return verdicts.filter((verdict) => verdict.kind === kind).length;
}

function first(verdicts: readonly Verdict[], kind: Verdict['kind']): string | undefined {
  return verdicts.find((verdict) => verdict.kind === kind)?.message;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
