import type { Violation } from './judge.ts';

/** A fault of the soak. Whoever injects it calls `recover` of the topology after it. */
export interface Injection {
  readonly kind: string;
  /** True if another server serves the locks after it, so that leases may be lost that no replica had. */
  readonly changesMaster: boolean;
  readonly inject: (draw: () => number) => Promise<void>;
}

/** On the clock of the histories. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** An injection that was made, until all servers had recovered. */
export interface LoggedInjection extends Span {
  readonly kind: string;
  /** Each from the promotion of a server until no other one was the master of its keys. */
  readonly changes: readonly Span[];
}

/**
 * The injection that explains a violation: it promoted a server, and the whole violation lies within one ttl of that. A
 * lease of the old master cannot be valid for longer, except for one that it granted while it lived on.
 */
export function explanationOf(
  violation: Pick<Violation, 'fromMs' | 'untilMs'>,
  log: readonly LoggedInjection[],
  ttlMs: number,
): LoggedInjection | undefined {
  return log.find(({ changes }) =>
    changes.some(
      ({ fromMs, untilMs }) => fromMs <= violation.fromMs && violation.untilMs <= untilMs + ttlMs,
    ),
  );
}

/** The times in which an injection would explain a violation. */
export function explainedSpans(log: readonly LoggedInjection[], ttlMs: number): readonly Span[] {
  return log.flatMap(({ changes }) =>
    changes.map(({ fromMs, untilMs }) => ({ fromMs, untilMs: untilMs + ttlMs })),
  );
}

/** The share of a span in which an injection would explain a violation: the rest of it is what makes a judge severe. */
export function explainedShare(
  log: readonly LoggedInjection[],
  { fromMs, untilMs }: Span,
  ttlMs: number,
): number {
  let coveredMs = 0;
  let endMs = fromMs;
  for (const each of explainedSpans(log, ttlMs)) {
    const from = Math.max(each.fromMs, endMs);
    endMs = Math.max(endMs, Math.min(each.untilMs, untilMs));
    coveredMs += Math.max(0, endMs - from);
  }
  return coveredMs / (untilMs - fromMs);
}
