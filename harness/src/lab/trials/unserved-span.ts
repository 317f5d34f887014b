import type { ProbeRecord } from './trial-record.ts';

/** A stretch as long as this at the end of a trial has not ended by chance: whoever waits then is not served. */
const UNENDED_MS = 1_000;

/** A stretch in which a client was granted nothing; times are relative to the strike. */
export interface UnservedSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  /** Whether it had ended when the trial was over. */
  readonly ended: boolean;
}

/**
 * The longest stretch without a grant that ends after the strike, which is at 0, counted from the strike at the
 * earliest. What is asked for all the time and granted at once has stretches as long as it rests between two rounds.
 */
export function longestUnserved({ samples }: ProbeRecord, untilMs: number): UnservedSpan {
  const grants = samples.filter(({ ok }) => ok).map(({ atMs, tookMs }) => atMs + tookMs);
  const after = grants.filter((atMs) => atMs > 0);
  const stretches = after.map((atMs, index) => ({ fromMs: after[index - 1] ?? 0, untilMs: atMs }));
  const longest = stretches.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a), NOTHING);
  const rest = { fromMs: after.at(-1) ?? 0, untilMs };
  const isOpen = after.length === 0 || lengthOf(rest) > Math.max(lengthOf(longest), UNENDED_MS);
  return isOpen ? { ...rest, ended: false } : { ...longest, ended: true };
}

const NOTHING = { fromMs: 0, untilMs: 0 };

export function lengthOf({ fromMs, untilMs }: Pick<UnservedSpan, 'fromMs' | 'untilMs'>): number {
  return untilMs - fromMs;
}
