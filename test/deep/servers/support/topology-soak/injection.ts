import type { Violation } from './judge.ts';

/** A fault of the soak. Whoever injects it calls `recover` of the topology after it. */
export interface Injection {
  readonly kind: string;
  /** True if another server serves the locks after it, so that leases may be lost that no replica had. */
  readonly changesMaster: boolean;
  readonly inject: (draw: () => number) => Promise<void>;
}

/** An injection that was made, on the clock of the histories. */
export interface LoggedInjection {
  readonly kind: string;
  readonly changesMaster: boolean;
  readonly fromMs: number;
  /** When all servers had recovered: no old master takes writes from then on. */
  readonly untilMs: number;
}

/**
 * The injection that explains a violation: a change of the master, from whose start to one ttl after its end the whole
 * violation lies. A lease of the old master cannot be valid for longer.
 */
export function explanationOf(
  { fromMs, untilMs }: Pick<Violation, 'fromMs' | 'untilMs'>,
  log: readonly LoggedInjection[],
  ttlMs: number,
): LoggedInjection | undefined {
  return log.find(
    (each) => each.changesMaster && each.fromMs <= fromMs && untilMs <= each.untilMs + ttlMs,
  );
}

/** The share of a span in which an injection would explain a violation: the rest of it is what makes a judge severe. */
export function explainedShare(
  log: readonly LoggedInjection[],
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  ttlMs: number,
): number {
  let coveredMs = 0;
  let endMs = fromMs;
  for (const each of log.filter(({ changesMaster }) => changesMaster)) {
    const from = Math.max(each.fromMs, endMs);
    endMs = Math.max(endMs, Math.min(each.untilMs + ttlMs, untilMs));
    coveredMs += Math.max(0, endMs - from);
  }
  return coveredMs / (untilMs - fromMs);
}
