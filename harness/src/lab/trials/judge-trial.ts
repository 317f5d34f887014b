import type { HistoryEvent, Verdict } from '@holdfast/core';
import { belief, mutualExclusion, resource } from '../../check/index.ts';
import { type Updates, updatesOf, writesOf } from '../../check/updates.ts';
import { falseLosses } from './false-losses.ts';
import { operations } from './operations.ts';
import type { ProbeRecord, TrialRecord } from './trial-record.ts';
import { lengthOf, longestUnserved } from './unserved-span.ts';

type History = readonly HistoryEvent[];

/** What one strike came to. */
export interface TrialJudgement {
  /** Whether one held and another waited when the fault struck. */
  readonly effective: boolean;
  readonly validity: Verdict;
  readonly belief: Verdict;
  readonly unfenced: Updates;
  /** Whether every grant had a larger token than those before it, lest the newer holder be refused. */
  readonly tokensGrow: boolean;
  /** null without tokens. */
  readonly fenced: Updates | null;
  /** Acquisitions and releases that were asked for, and those of which nobody knew what became of them. */
  readonly operationCount: number;
  readonly indeterminate: number;
  /** From the strike until another client was granted the key; null when none was. Undefined where the holder is not gone. */
  readonly handoverMs: number | null | undefined;
  /** Leases that clients lost which nothing had struck, before anybody else was granted the key. */
  readonly givenUp: number;
  /** For each healthy client, how long it was not served; null: it was not served any more. */
  readonly unavailableMs: readonly (number | null)[];
}

/** Hands one trial to the judges. */
export function judgeTrial(trial: TrialRecord): TrialJudgement {
  const { history, victim, healthy } = trial;
  const tokens = writesOf(history, true).length > 0;
  return {
    effective: tookEffect(trial),
    validity: mutualExclusion(history),
    belief: belief(history),
    unfenced: updatesOf(history, false),
    fenced: tokens ? updatesOf(history, true) : null,
    tokensGrow: resource(history, { fenced: true }).kind !== 'violated',
    ...operations(trial),
    handoverMs: trial.expectsHandover ? handoverOf(history, victim) : undefined,
    givenUp: falseLosses(trial).length,
    unavailableMs: healthy.map((probed) => longestUnservedMs(probed, trial.untilMs)),
  };
}

/** At the strike, which is at 0, the victim was in its section and somebody else had asked and not got it. */
function tookEffect({ history, victim }: TrialRecord): boolean {
  const before = history.filter(({ atMs }) => atMs <= 0);
  const own = before.filter(({ client }) => client === victim);
  const isInside =
    own.findLast(({ type }) => type === 'enter' || type === 'exit')?.type === 'enter';
  const settled = new Set(
    before.flatMap((event) => ('hold' in event && event.type !== 'acquire' ? [event.hold] : [])),
  );
  const waits = before.some((event) => event.type === 'acquire' && !settled.has(event.hold));
  return isInside && waits;
}

function handoverOf(history: History, victim: string): number | null {
  const next = history.find(
    ({ type, client, atMs }) => type === 'granted' && client !== victim && atMs > 0,
  );
  return next?.atMs ?? null;
}

/** How long it was; null when it had not ended when the trial was over. */
export function longestUnservedMs(probed: ProbeRecord, untilMs: number): number | null {
  const silence = longestUnserved(probed, untilMs);
  return silence.ended ? lengthOf(silence) : null;
}
