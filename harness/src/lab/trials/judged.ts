import type { HistoryEvent, Verdict } from '@holdfast/core';
import { belief, mutualExclusion, resource } from '../../check/index.ts';
import { falseLosses } from './false-losses.ts';
import { operations } from './operations.ts';
import type { Probed, TrialRecord } from './record.ts';
import { lengthOf, silenceOf } from './silence.ts';

type History = readonly HistoryEvent[];
type Write = Extract<HistoryEvent, { readonly type: 'write' }>;

/** What a resource did with the updates it was sent. */
export interface Updates {
  readonly accepted: number;
  readonly refused: number;
  /** Accepted, and overwritten by one that did not know of it. */
  readonly lost: number;
  /** Accepted although a larger token had been accepted before; of a resource that compares tokens it has to be 0. */
  readonly stale: number;
}

/** What one strike came to. */
export interface Judged {
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
  readonly asked: number;
  readonly doubtful: number;
  /** From the strike until another client was granted the key; null when none was. Undefined where the holder is not gone. */
  readonly handoverMs: number | null | undefined;
  /** Leases that clients lost which nothing had struck, before anybody else was granted the key. */
  readonly givenUp: number;
  /** For each healthy client, how long it was not served; null: it was not served any more. */
  readonly unavailableMs: readonly (number | null)[];
}

/** Hands one trial to the judges. */
export function judged(trial: TrialRecord): Judged {
  const { history, victim, healthy } = trial;
  const tokens = history.some((event) => event.type === 'write' && event.fenced);
  return {
    effective: tookEffect(trial),
    validity: mutualExclusion(history),
    belief: belief(history),
    unfenced: updatesOf(history, false),
    fenced: tokens ? updatesOf(history, true) : null,
    tokensGrow: resource(history, { fenced: true }).kind !== 'violated',
    ...operations(trial),
    handoverMs: trial.handsOver ? handoverOf(history, victim) : undefined,
    givenUp: falseLosses(trial).length,
    unavailableMs: healthy.map((probed) => longestSilence(probed, trial.untilMs)),
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

function updatesOf(history: History, fenced: boolean): Updates {
  const writes = history.filter(
    (event): event is Write => event.type === 'write' && event.fenced === fenced,
  );
  const accepted = writes.filter((write) => write.accepted);
  // Every accepted write adds one to what it read, so what the counter lacks at the end was overwritten.
  const value = accepted.at(-1)?.value ?? 0;
  return {
    accepted: accepted.length,
    refused: writes.length - accepted.length,
    lost: accepted.length - value,
    stale: staleIn(accepted),
  };
}

function staleIn(accepted: readonly Write[]): number {
  let largest = 0n;
  let stale = 0;
  for (const { token } of accepted) {
    if (token === undefined) continue;
    const own = BigInt(token);
    if (own < largest) stale++;
    else largest = own;
  }
  return stale;
}

/** How long it was; null when it had not ended when the trial was over. */
export function longestSilence(probed: Probed, untilMs: number): number | null {
  const silence = silenceOf(probed, untilMs);
  return silence.ended ? lengthOf(silence) : null;
}
