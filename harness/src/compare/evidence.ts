import type { FaultId, HistoryEvent, Verdict } from '@holdfast/core';
import { belief, mutualExclusion } from '../check/index.ts';
import { type Updates, updatesOf, writesOf } from '../check/updates.ts';
import type { CountedUpdates, Evidence } from './report.ts';
import { tookEffect } from './took-effect.ts';

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
  const unfenced = trials.map((history) => updatesOf(history, false));
  const hasTokens = trials.some((history) => writesOf(history, true).length > 0);
  const fenced = isLocked && hasTokens ? trials.map((history) => updatesOf(history, true)) : null;
  const total = totalOf(unfenced);
  return {
    trials: trials.length,
    effective: trials.filter((history) => tookEffect(history, fault, isLocked)).length,
    asked: total.accepted + total.refused,
    sent: total.accepted,
    validityViolated: isLocked ? countKind(validity, 'violated') : null,
    beliefViolated: isLocked ? countKind(beliefs, 'violated') : null,
    unfencedViolated: unfenced.filter(isLossy).length,
    fencedViolated: fenced?.filter(isLossy).length ?? null,
    stuck: 0,
    unfenced: total,
    fenced: fenced === null ? null : totalOf(fenced),
    ...(example === undefined ? {} : { example }),
    ...(flaw === undefined ? {} : { flaw }),
  };
}

function totalOf(each: readonly Updates[]): CountedUpdates {
  return {
    accepted: sum(each.map(({ accepted }) => accepted)),
    refused: sum(each.map(({ refused }) => refused)),
    lost: sum(each.map(({ lost }) => lost)),
  };
}

function isLossy({ lost }: Updates): boolean {
  return lost > 0;
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
