import type { HistoryEvent, PropertyId, Verdict } from '@holdfast/core';
import { judgeAnswers } from './answers.ts';
import { believedSpans, judgeBelief } from './belief.ts';
import { doubted, type Flaw, flawOf } from './flaw.ts';
import type { HoldRecord } from './hold-record.ts';
import { lateLoss } from './late-loss.ts';
import { judgeValidity, validSpans } from './mutual-exclusion.ts';
import type { RefusalRecord } from './refusal-record.ts';
import { judgeRefusals } from './refusals.ts';
import { judgeResource } from './resource.ts';
import { firstOverlap } from './span.ts';

/** A broken lock is worse than damage it may have had no part in, and both are worse than a late holder. */
const WORST: readonly PropertyId[] = [
  'server-state',
  'validity',
  'resource',
  'fifo',
  'ownership',
  'answers',
  'belief',
];
const KINDS: readonly Verdict['kind'][] = ['violated', 'unknown', 'ok'];

/** Judges one history by several properties; whether it can be relied on is looked at once for all of them. */
export class Judge {
  readonly #history: readonly HistoryEvent[];
  readonly #flaw: Flaw | undefined;

  constructor(history: readonly HistoryEvent[]) {
    this.#history = history;
    this.#flaw = flawOf(history);
  }

  /** As `mutualExclusion`. */
  validity(): Verdict {
    return doubted(this.#flaw, 'validity') ?? judgeValidity(this.#history);
  }

  /** As the function of that name. */
  belief(): Verdict {
    return doubted(this.#flaw, 'belief') ?? judgeBelief(this.#history);
  }

  /** As the functions `answers`, `refusals` and `lateLoss`: what is told is true, and is told in time. */
  answers(records: readonly HoldRecord[], refused: readonly RefusalRecord[] = []): Verdict {
    const doubt = doubted(this.#flaw, 'answers');
    if (doubt !== undefined) return doubt;
    const told = judgeAnswers(this.#history, records);
    if (told.kind !== 'ok') return told;
    const denied = judgeRefusals(this.#history, refused);
    return denied.kind === 'ok' ? lateLoss(this.#history) : denied;
  }

  /** As the function of that name. */
  resource({ fenced }: { readonly fenced: boolean }): Verdict {
    return doubted(this.#flaw, 'resource') ?? judgeResource(this.#history, fenced);
  }
}

/** All judgements of a history, worst first. Resources are judged where there are writes to them. */
export function judge(history: readonly HistoryEvent[]): readonly Verdict[] {
  const judging = new Judge(history);
  const verdicts = [judging.validity(), judging.belief()];
  for (const fenced of [true, false])
    if (history.some((event) => event.type === 'write' && event.fenced === fenced))
      verdicts.push(judging.resource({ fenced }));
  return verdicts.toSorted(
    (a, b) =>
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
      WORST.indexOf(a.property) - WORST.indexOf(b.property),
  );
}

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
