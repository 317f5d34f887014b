import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { belief, judgeResourceOrder, mutualExclusion, resource } from '../../check/index.ts';
import { type Updates, updatesOf, writesOf } from '../../check/updates.ts';
import type { Sample } from '../../real/index.ts';
import type { ProbeRecord, TrialRecord } from './trial-record.ts';
import { lengthOf, longestUnserved } from './unserved-span.ts';

type History = readonly HistoryEvent[];

/** The judgement of one trial. */
export interface TrialJudgement {
  /** True if one client held while another waited when the fault was injected. */
  readonly effective: boolean;
  readonly validity: Verdict;
  readonly belief: Verdict;
  readonly unfenced: Updates;
  /**
   * True if every grant had a larger token than those before it; otherwise the resource would refuse the newer holder.
   */
  readonly tokensGrow: boolean;
  /** Null without tokens. */
  readonly fenced: Updates | null;
  /** The number of acquisitions and releases, and of those with an unknown outcome. */
  readonly operationCount: number;
  readonly indeterminate: number;
  /** From the fault until another client was granted the key; null if none was. Undefined if the holder is not gone. */
  readonly handoverMs: number | null | undefined;
  /** Leases lost by clients that no fault hit, before another client was granted the key. */
  readonly givenUp: number;
  /** The longest time without service of each healthy client; null if it was not served again. */
  readonly unavailableMs: readonly (number | null)[];
}

/** Judges one trial. */
export function judgeTrial(trial: TrialRecord): TrialJudgement {
  const { history, victim, healthy } = trial;
  const tokens = writesOf(history, true).length > 0;
  return {
    effective: tookEffect(trial),
    ...exclusionOf(trial),
    unfenced: updatesOf(history, false),
    fenced: tokens ? updatesOf(history, true) : null,
    tokensGrow: resource(history, { fenced: true }).kind !== 'violated',
    ...operations(trial),
    handoverMs: trial.expectsHandover ? handoverOf(history, victim) : undefined,
    givenUp: falseLosses(trial).length,
    unavailableMs: healthy.map((probed) => longestUnservedMs(probed, trial.untilMs)),
  };
}

function exclusionOf({
  history,
  judgedBy,
  heldBack,
}: TrialRecord): Pick<TrialJudgement, 'validity' | 'belief'> {
  return judgedBy === 'resource'
    ? judgeResourceOrder(history, heldBack)
    : { validity: mutualExclusion(history), belief: belief(history) };
}

/**
 * True if at time 0, when the fault was injected, the victim was in its critical section and another client was
 * waiting.
 */
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

/** The length of the longest span without service; null if it had not ended when the trial did. */
export function longestUnservedMs(probed: ProbeRecord, untilMs: number): number | null {
  const silence = longestUnserved(probed, untilMs);
  return silence.ended ? lengthOf(silence) : null;
}

type LostEvent = Extract<HistoryEvent, { readonly type: 'lost' }>;

/**
 * Leases that were lost after time 0 by a client that no fault hit, before another client was granted the key: lost without
 * need. The holder counts too if the fault hit servers.
 */
function falseLosses({ history, faulted, renews }: TrialRecord): readonly LostEvent[] {
  return history.filter(
    (event): event is LostEvent =>
      event.type === 'lost' &&
      event.atMs > 0 &&
      !faulted.includes(event.client) &&
      // A lease that is never renewed expires by itself.
      (renews || event.reason !== 'deadline') &&
      !isTaken(event, history),
  );
}

/** True if another client was granted the key since. */
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

/** Acquisitions and releases that ended, and those of them with an unknown outcome. */
export interface Operations {
  readonly operationCount: number;
  readonly indeterminate: number;
}

type OperationResult = 'known' | 'unknown';

/** The code of `OutcomeUnknownError`. */
const UNKNOWN = 'OUTCOME_UNKNOWN';
/** The reason of a wait that was cancelled because the trial was over: it has no outcome, and is not in doubt. */
const WITHDRAWN = 'withdrawn';

/** Counts all clients' operations on the shared key, and healthy clients' operations on their own keys. */
function operations({ history, healthy }: TrialRecord): Operations {
  const samples = healthy.flatMap((probed) => probed.samples);
  const results = [...history.flatMap(resultOf), ...samples.flatMap(resultsOf)];
  return {
    operationCount: results.length,
    indeterminate: results.filter((result) => result === 'unknown').length,
  };
}

function resultOf(event: HistoryEvent): readonly OperationResult[] {
  if (event.type === 'granted' || event.type === 'denied') return ['known'];
  if (event.type === 'doubt') return event.reason === WITHDRAWN ? [] : ['unknown'];
  return event.type === 'released' ? [event.outcome === 'unknown' ? 'unknown' : 'known'] : [];
}

/** The results of a probe's acquisition and release. */
function resultsOf({ ok, why, released }: Sample): readonly OperationResult[] {
  if (!ok) return why === WITHDRAWN ? [] : [why === UNKNOWN ? 'unknown' : 'known'];
  if (released === undefined) return ['known'];
  return ['known', released === 'unknown' ? 'unknown' : 'known'];
}
