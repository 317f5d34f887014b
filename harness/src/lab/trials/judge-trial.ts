import type { HistoryEvent, Verdict } from '@holdfast/core';
import { belief, mutualExclusion, resource } from '../../check/index.ts';
import { type Updates, updatesOf, writesOf } from '../../check/updates.ts';
import type { Sample } from '../../plant/index.ts';
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

type LostEvent = Extract<HistoryEvent, { readonly type: 'lost' }>;

/**
 * Leases that were lost after the strike, which is at 0, by somebody whom nothing had struck and in whose place nobody
 * had been granted the key yet: without a need. The holder counts where the fault struck servers and not it.
 */
function falseLosses({ history, faulted, renews }: TrialRecord): readonly LostEvent[] {
  return history.filter(
    (event): event is LostEvent =>
      event.type === 'lost' &&
      event.atMs > 0 &&
      !faulted.includes(event.client) &&
      // What nobody renews ends by itself.
      (renews || event.reason !== 'deadline') &&
      !isTaken(event, history),
  );
}

/** Whether somebody else was granted the key since. */
function isTaken({ client, hold, atMs }: LostEvent, history: History): boolean {
  const sinceMs = history.find((event) => event.type === 'granted' && event.hold === hold)?.atMs;
  return history.some(
    (event) =>
      event.type === 'granted' &&
      event.client !== client &&
      event.atMs > (sinceMs ?? 0) &&
      event.atMs <= atMs,
  );
}

/** Acquisitions and releases that came to an end, and those of which nobody knew by then what became of them. */
export interface Operations {
  readonly operationCount: number;
  readonly indeterminate: number;
}

type OperationResult = 'known' | 'unknown';

/** The code of `OutcomeUnknownError`. */
const UNKNOWN = 'OUTCOME_UNKNOWN';
/** Nobody waited any longer, because the trial was over: not answered, and no doubt. */
const WITHDRAWN = 'withdrawn';

/** Of the shared key what everybody asked for, and of their own keys what healthy clients did. */
function operations({ history, healthy }: TrialRecord): Operations {
  const samples = healthy.flatMap((probed) => probed.samples);
  const answers = [...history.flatMap(resultOf), ...samples.flatMap(resultsOf)];
  return {
    operationCount: answers.length,
    indeterminate: answers.filter((answer) => answer === 'unknown').length,
  };
}

function resultOf(event: HistoryEvent): readonly OperationResult[] {
  if (event.type === 'granted' || event.type === 'denied') return ['known'];
  if (event.type === 'doubt') return event.reason === WITHDRAWN ? [] : ['unknown'];
  return event.type === 'released' ? [event.outcome === 'unknown' ? 'unknown' : 'known'] : [];
}

/** Of asking, and of giving back. */
function resultsOf({ ok, why, released }: Sample): readonly OperationResult[] {
  if (!ok) return why === WITHDRAWN ? [] : [why === UNKNOWN ? 'unknown' : 'known'];
  if (released === undefined) return ['known'];
  return ['known', released === 'unknown' ? 'unknown' : 'known'];
}
