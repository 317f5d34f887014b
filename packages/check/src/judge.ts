import type { HistoryEvent, PropertyId, Verdict } from '@holdfast/core';
import { belief } from './belief.ts';
import { mutualExclusion } from './mutual-exclusion.ts';
import { resource } from './resource.ts';

/** A broken lock is worse than damage it may have had no part in, and both are worse than a late holder. */
const WORST: readonly PropertyId[] = ['server-state', 'validity', 'resource', 'belief'];
const KINDS: readonly Verdict['kind'][] = ['violated', 'unknown', 'ok'];

/** All judgements of a history, worst first. Resources are judged where there are writes to them. */
export function judge(history: readonly HistoryEvent[]): readonly Verdict[] {
  const verdicts = [mutualExclusion(history), belief(history)];
  for (const fenced of [true, false])
    if (history.some((event) => event.type === 'write' && event.fenced === fenced))
      verdicts.push(resource(history, { fenced }));
  return verdicts.toSorted(
    (a, b) =>
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      WORST.indexOf(a.property) - WORST.indexOf(b.property),
  );
}
