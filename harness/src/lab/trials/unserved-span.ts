import type { ProbeRecord } from './trial-record.ts';

/** A span as long as this at the end of a trial, in ms, is not chance: the client is not served. */
const UNENDED_MS = 1_000;

/** A span without a grant; times are relative to the fault. */
export interface UnservedSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  /** True if it had ended when the trial did. */
  readonly ended: boolean;
}

/**
 * The longest span without a grant that ends after the fault, which is at 0; the part before the fault does not count. A
 * client that is always granted at once has spans as long as it sleeps between two rounds.
 */
export function longestUnserved({ samples }: ProbeRecord, untilMs: number): UnservedSpan {
  const grants = samples.filter(({ ok }) => ok).map(({ atMs, tookMs }) => atMs + tookMs);
  const after = grants.filter((atMs) => atMs > 0);
  const spans = after.map((atMs, index) => ({ fromMs: after[index - 1] ?? 0, untilMs: atMs }));
  const longest = spans.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a), NOTHING);
  const rest = { fromMs: after.at(-1) ?? 0, untilMs };
  const isOpen = after.length === 0 || lengthOf(rest) > Math.max(lengthOf(longest), UNENDED_MS);
  return isOpen ? { ...rest, ended: false } : { ...longest, ended: true };
}

const NOTHING = { fromMs: 0, untilMs: 0 };

export function lengthOf({ fromMs, untilMs }: Pick<UnservedSpan, 'fromMs' | 'untilMs'>): number {
  return untilMs - fromMs;
}
