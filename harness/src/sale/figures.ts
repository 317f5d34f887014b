import type { ServedRequest } from './load-generator.ts';
import type { SaleSettings } from './sale.ts';
import type { LockStay, PurchaseResult } from './shop.ts';

/** What a sale came to, in numbers. */
export interface Figures {
  readonly sold: number;
  /** Sold beyond the stock. */
  readonly oversold: number;
  /** Left, though more was asked for. */
  readonly undersold: number;
  /** Orders of an item that was sold before. */
  readonly duplicates: number;
  /** Told that nothing was left. */
  readonly refused: number;
  /** Told to try again later, or not answered at all because a process died. */
  readonly failed: number;
  /** Still waiting when nothing had gone on for long enough to call the sale off. */
  readonly deadlocked: number;
  /** Releases that removed somebody else's lock. */
  readonly stolen: number;
  /** Stays under a lock that began while another was under the same. */
  readonly together: number;
  readonly seconds: number;
  readonly salesPerSecond: number;
  /** Of all requests that were answered. */
  readonly p99Ms: number;
  /** Of all times that the work was done, the share that came too late to be of use. */
  readonly conflictShare: number;
  /** Why requests failed, and how many did. */
  readonly failures: Readonly<Record<string, number>>;
}

export function figuresOf(
  served: readonly ServedRequest[],
  { stock, requests }: Pick<SaleSettings, 'stock' | 'requests'>,
): Figures {
  const answers = served.map(({ answer }) => answer);
  const sold = answers.filter(({ outcome }) => outcome === 'sold');
  const stays = answers.flatMap((answer) => answer.stays);
  const seconds = secondsOf(served);
  const count = (outcome: PurchaseResult['outcome']): number =>
    answers.filter((answer) => answer.outcome === outcome).length;
  return {
    sold: sold.length,
    oversold: Math.max(0, sold.length - stock),
    undersold: Math.max(0, Math.min(stock, requests) - sold.length),
    duplicates: sold.length - new Set(sold.map(({ item }) => item)).size,
    refused: count('refused'),
    failed: count('failed') + count('no-answer'),
    deadlocked: count('stuck'),
    stolen: stays.filter((stay) => isStolenRelease(stay, stays)).length,
    together: stays.filter((stay) => isOverlapping(stay, stays)).length,
    seconds,
    salesPerSecond: seconds === 0 ? 0 : sold.length / seconds,
    p99Ms: p99(served.filter(isAnswered).map(({ fromMs, untilMs }) => untilMs - fromMs)),
    conflictShare: conflictShareOf(answers),
    failures: failuresOf(answers),
  };
}

function conflictShareOf(answers: readonly PurchaseResult[]): number {
  const tried = answers.filter(({ outcome }) => outcome === 'sold' || outcome === 'failed');
  const tries = tried.reduce((sum, answer) => sum + (answer.tries ?? 1), 0);
  const sold = tried.filter(({ outcome }) => outcome === 'sold').length;
  return tries === 0 ? 0 : (tries - sold) / tries;
}

/** From the first request to the last answer that was given. */
function secondsOf(served: readonly ServedRequest[]): number {
  const answered = served.filter(isAnswered);
  if (answered.length === 0) return 0;
  const fromMs = Math.min(...served.map((each) => each.fromMs));
  return (Math.max(...answered.map(({ untilMs }) => untilMs)) - fromMs) / 1000;
}

function isAnswered({ answer: { outcome } }: ServedRequest): boolean {
  return outcome !== 'stuck' && outcome !== 'no-answer';
}

/** It removed a key that was somebody else's by then: they had got the lock before its release left. */
function isStolenRelease(stay: LockStay, stays: readonly LockStay[]): boolean {
  if (stay.released !== 'released') return false;
  return stay.overtaken === true || stays.some((other) => isBetween(other, stay));
}

function isBetween({ key, fromMs }: LockStay, stay: LockStay): boolean {
  return key === stay.key && fromMs > stay.fromMs && fromMs < stay.untilMs;
}

function isOverlapping(stay: LockStay, stays: readonly LockStay[]): boolean {
  return stays.some(
    ({ key, fromMs, untilMs }) => key === stay.key && fromMs < stay.fromMs && stay.fromMs < untilMs,
  );
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)] ?? 0;
}

function failuresOf(answers: readonly PurchaseResult[]): Readonly<Record<string, number>> {
  const failures: Record<string, number> = {};
  for (const { outcome, reason } of answers) {
    if (outcome !== 'failed' && outcome !== 'no-answer') continue;
    const why = reason ?? 'CRASHED';
    failures[why] = (failures[why] ?? 0) + 1;
  }
  return failures;
}
