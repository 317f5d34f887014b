import type { ServedRequest } from './load-generator.ts';
import type { SaleSettings } from './sale.ts';
import type { CriticalSection, PurchaseResult } from './shop.ts';
import { MISPRICED } from './strategies-shared.ts';

/** The result of a sale, in numbers. */
export interface Figures {
  readonly sold: number;
  /** Sold beyond the stock. */
  readonly oversold: number;
  /** Left over, though more was requested. */
  readonly undersold: number;
  /** Orders of an item that had been sold already. */
  readonly duplicates: number;
  /** Requests refused because nothing was left. */
  readonly refused: number;
  /** Requests that failed and may be retried, or got no reply because a process crashed. */
  readonly failed: number;
  /** Requests that still waited when the sale was stopped because no request made progress. */
  readonly deadlocked: number;
  /** Releases that removed another client's lock. */
  readonly stolen: number;
  /** Critical sections that began while another client was inside under this lock. */
  readonly together: number;
  /** Customers who saw prices that never belonged together. */
  readonly mispriced: number;
  /** The most clients that held one key beside each other, as readers or with permits. */
  readonly crowd: number;
  readonly seconds: number;
  readonly salesPerSecond: number;
  /** The 99th percentile of all requests that got a reply. */
  readonly p99Ms: number;
  /** The share of all tries that sold nothing, mostly because of a conflict. */
  readonly conflictShare: number;
  /** The number of failed requests by reason. */
  readonly failures: Readonly<Record<string, number>>;
}

export function figuresOf(
  served: readonly ServedRequest[],
  { stock, requests }: Pick<SaleSettings, 'stock' | 'requests'>,
): Figures {
  const results = served.map(({ result }) => result);
  const sold = results.filter(({ outcome }) => outcome === 'sold');
  const all = results.flatMap((result) => result.sections);
  const sections = all.filter(({ beside }) => beside !== true);
  const failures = failuresOf(results);
  const seconds = secondsOf(served);
  const count = (outcome: PurchaseResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length;
  return {
    sold: sold.length,
    oversold: Math.max(0, sold.length - stock),
    undersold: Math.max(0, Math.min(stock, requests) - sold.length),
    duplicates: sold.length - new Set(sold.map(({ item }) => item)).size,
    refused: count('refused'),
    failed: count('failed') + count('no-reply'),
    deadlocked: count('stuck'),
    stolen: sections.filter((section) => isStolenRelease(section, sections)).length,
    together: sections.filter((section) => isOverlapping(section, sections)).length,
    mispriced: failures[MISPRICED] ?? 0,
    crowd: crowdOf(all.filter(({ beside }) => beside === true)),
    seconds,
    salesPerSecond: seconds === 0 ? 0 : sold.length / seconds,
    p99Ms: p99(served.filter(hasReply).map(({ fromMs, untilMs }) => untilMs - fromMs)),
    conflictShare: conflictShareOf(results),
    failures,
  };
}

function conflictShareOf(results: readonly PurchaseResult[]): number {
  const tried = results.filter(({ outcome }) => outcome === 'sold' || outcome === 'failed');
  const tries = tried.reduce((sum, result) => sum + (result.tries ?? 1), 0);
  const sold = tried.filter(({ outcome }) => outcome === 'sold').length;
  return tries === 0 ? 0 : (tries - sold) / tries;
}

/** From the first request to the last reply. */
function secondsOf(served: readonly ServedRequest[]): number {
  const answered = served.filter(hasReply);
  if (answered.length === 0) return 0;
  const fromMs = Math.min(...served.map((each) => each.fromMs));
  return (Math.max(...answered.map(({ untilMs }) => untilMs)) - fromMs) / 1000;
}

function hasReply({ result: { outcome } }: ServedRequest): boolean {
  return outcome !== 'stuck' && outcome !== 'no-reply';
}

/** True if the release removed another client's key: that client had acquired the lock before the release was sent. */
function isStolenRelease(section: CriticalSection, sections: readonly CriticalSection[]): boolean {
  if (section.released !== 'released') return false;
  return section.overtaken === true || sections.some((other) => isBetween(other, section));
}

function isBetween({ key, fromMs }: CriticalSection, section: CriticalSection): boolean {
  return key === section.key && fromMs > section.fromMs && fromMs < section.untilMs;
}

function isOverlapping(section: CriticalSection, sections: readonly CriticalSection[]): boolean {
  return sections.some(
    ({ key, fromMs, untilMs }) =>
      key === section.key && fromMs < section.fromMs && section.fromMs < untilMs,
  );
}

/** The most sections of one key at one time. */
function crowdOf(sections: readonly CriticalSection[]): number {
  const inside = (at: CriticalSection): number =>
    sections.filter(
      ({ key, fromMs, untilMs }) => key === at.key && fromMs <= at.fromMs && at.fromMs < untilMs,
    ).length;
  return Math.max(0, ...sections.map(inside));
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)] ?? 0;
}

function failuresOf(results: readonly PurchaseResult[]): Readonly<Record<string, number>> {
  const failures: Record<string, number> = {};
  for (const { outcome, reason } of results) {
    if (outcome !== 'failed' && outcome !== 'no-reply') continue;
    const why = reason ?? 'CRASHED';
    failures[why] = (failures[why] ?? 0) + 1;
  }
  return failures;
}
