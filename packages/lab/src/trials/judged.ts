import { belief, mutualExclusion, resource } from '@holdfast/check';
import type { HistoryEvent, Verdict } from '@holdfast/core';
import type { Probed, TrialRecord } from './record.ts';

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
  /** Acquisitions that were asked for, and those of which nobody knows what became of them. */
  readonly asked: number;
  readonly doubtful: number;
  /** From the strike until another client was granted the key; null when none was. Undefined where the holder is not gone. */
  readonly handoverMs: number | null | undefined;
  /** Leases that clients gave up which nothing had struck. */
  readonly givenUp: number;
  /** For each healthy client, how long it was not served; null: it was not served any more. */
  readonly unavailableMs: readonly (number | null)[];
}

/** Hands one trial to the judges. */
export function judged(trial: TrialRecord): Judged {
  const { history, victim, healthy } = trial;
  const tokens = history.some((event) => event.type === 'write' && event.fenced);
  const ask = history.filter(({ type }) => type === 'acquire');
  return {
    effective: tookEffect(trial),
    validity: mutualExclusion(history),
    belief: belief(history),
    unfenced: updatesOf(history, false),
    fenced: tokens ? updatesOf(history, true) : null,
    tokensGrow: resource(history, { fenced: true }).kind !== 'violated',
    asked: ask.length,
    doubtful: doubtsOf(history),
    handoverMs: trial.handsOver ? handoverOf(history, victim) : undefined,
    givenUp: history.filter((event) => event.type === 'lost' && event.client !== victim).length,
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

/** Those that were withdrawn at the end of the trial were not answered because nobody waited any longer. */
function doubtsOf(history: History): number {
  return history.filter((event) => event.type === 'doubt' && event.reason !== 'withdrawn').length;
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

/** A stretch as long as this at the end of a trial has not ended by chance: whoever waits then is not served. */
const UNENDED_MS = 1_000;

/**
 * The longest stretch without a grant that ends after the strike, which is at 0, counted from the strike at the
 * earliest; null when it had not ended when the trial was over. What is asked for all the time and granted at once has
 * stretches as long as it rests between two rounds.
 */
export function longestSilence({ samples }: Probed, untilMs: number): number | null {
  const grants = samples.filter(({ ok }) => ok).map(({ atMs, tookMs }) => atMs + tookMs);
  const after = grants.filter((atMs) => atMs > 0);
  const starts = [0, ...after];
  const longest = Math.max(0, ...after.map((atMs, index) => atMs - (starts[index] ?? 0)));
  const rest = untilMs - (after.at(-1) ?? 0);
  return after.length === 0 || rest > Math.max(longest, UNENDED_MS) ? null : longest;
}
