import type { HistoryEvent, PropertyId, Verdict } from '@holdfast/core/backend';
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

/** Worst first: a broken lock is worse than damage that it may not have caused, and both are worse than a late holder. */
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

/** Judges one history by several properties, and checks once for all of them that it is reliable. */
export class Judge {
  readonly #history: readonly HistoryEvent[];
  readonly #flaw: Flaw | undefined;

  constructor(history: readonly HistoryEvent[]) {
    this.#history = history;
    this.#flaw = flawOf(history);
  }

  /** The verdict of {@link mutualExclusion}. */
  validity(): Verdict {
    return doubted(this.#flaw, 'validity') ?? judgeValidity(this.#history);
  }

  /** The verdict of the function `belief`. */
  belief(): Verdict {
    return doubted(this.#flaw, 'belief') ?? judgeBelief(this.#history);
  }

  /** Judges all reports to clients: those on holds and on failed acquisitions are true, and losses are reported in time. */
  answers(records: readonly HoldRecord[], refused: readonly RefusalRecord[] = []): Verdict {
    const doubt = doubted(this.#flaw, 'answers');
    if (doubt !== undefined) return doubt;
    const onHolds = judgeAnswers(this.#history, records);
    if (onHolds.kind !== 'ok') return onHolds;
    const onRefusals = judgeRefusals(this.#history, refused);
    return onRefusals.kind === 'ok' ? lateLoss(this.#history) : onRefusals;
  }

  /** The verdict of the function `resource`. */
  resource({ fenced }: { readonly fenced: boolean }): Verdict {
    return doubted(this.#flaw, 'resource') ?? judgeResource(this.#history, fenced);
  }
}

/** All verdicts on a history, worst first. Resources are judged if there are writes to them. */
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
 * The length of the overlap that `validity` or `belief` reports, from when the second span began. 0 without an overlap
 * and for a history that is not reliable; Infinity if the overlap never ended.
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
