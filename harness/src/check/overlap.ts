import type { HistoryEvent } from '@holdfast/core';
import { believedSpans } from './belief.ts';
import { flawOf } from './flaw.ts';
import { validSpans } from './mutual-exclusion.ts';
import { firstOverlap } from './span.ts';

/**
 * For how long the two whom `validity`, or `belief`, is about were in one another's way: from the moment at which the
 * second came. 0 where nobody was, and of a history that cannot be relied on; Infinity where it never ended.
 */
export function overlapMs(
  history: readonly HistoryEvent[],
  property: 'validity' | 'belief',
): number {
  if (flawOf(history) !== undefined) return 0;
  const spans = property === 'validity' ? validSpans(history) : believedSpans(history);
  const overlap = firstOverlap(spans);
  return overlap === undefined ? 0 : overlap.untilMs - overlap.fromMs;
}
