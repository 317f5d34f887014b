import type { HistoryEvent, Verdict } from '@holdfast/core';
import { doubted, flawOf } from './flaw.ts';
import { validSpans } from './mutual-exclusion.ts';
import type { Span } from './span.ts';
import { ok, shown, violated } from './verdict.ts';

/** When the servers could have granted a hold to somebody else, on the judge's clock; known in the simulator alone. */
export interface KeyFreed {
  readonly hold: string;
  readonly atMs: number;
  /** Whether its time was over, or somebody took it away: mostly the holder, which gives back what it has lost. */
  readonly how: 'expired' | 'deleted';
}

/** Of a lease that ended against its holder's will: from when the holder knew until the servers could grant another. */
export interface LeaseMargin {
  readonly hold: string;
  readonly client: string;
  readonly key: string;
  /** From here on the holder believes no longer, by its own judgement: its validity was over, or it was told. */
  readonly knewMs: number;
  readonly freeMs: number;
  /** Negative: two could have held validly. */
  readonly gapMs: number;
  readonly how: KeyFreed['how'];
}

/**
 * The gap of every lease that was lost or ran out: the safety margin that was really left. A lease that was released is
 * over for its holder before the servers hear of it, and shows nothing. Expects a history without flaw.
 */
export function leaseMarginsOf(
  history: readonly HistoryEvent[],
  freed: readonly KeyFreed[],
): readonly LeaseMargin[] {
  const byHold = new Map(freed.map((each) => [each.hold, each]));
  return validSpans(history).flatMap((span) => {
    const free = byHold.get(span.hold);
    return free === undefined || isReleased(span) || isEmpty(span)
      ? []
      : [leaseMarginOf(span, free)];
  });
}

/**
 * Whether every holder knew that its lease was over before the servers could grant the key to another: stricter than
 * mutual exclusion, which asks only whether somebody was there to be granted it.
 */
export function judgeEarlyGrant(
  history: readonly HistoryEvent[],
  freed: readonly KeyFreed[],
): Verdict {
  const doubt = doubted(flawOf(history), 'server-state');
  if (doubt !== undefined) return doubt;
  const gaps = leaseMarginsOf(history, freed);
  const worst = gaps.toSorted((a, b) => a.gapMs - b.gapMs)[0];
  if (worst === undefined || worst.gapMs >= 0)
    return ok('server-state', `${gaps.length} holders knew of their end before the servers`);
  const proof = history.filter((event) => 'hold' in event && event.hold === worst.hold);
  return violated('server-state', describe(worst), proof);
}

/** It was over when it was handed over, and never believed in. */
function isEmpty({ fromMs, untilMs }: Span): boolean {
  return untilMs <= fromMs;
}

function isReleased({ proof }: Span): boolean {
  return proof.some(({ type }) => type === 'release');
}

function leaseMarginOf({ hold, client, key, untilMs }: Span, { atMs, how }: KeyFreed): LeaseMargin {
  return { hold, client, key, knewMs: untilMs, freeMs: atMs, gapMs: atMs - untilMs, how };
}

function describe({ client, key, knewMs, freeMs, gapMs }: LeaseMargin): string {
  return `${client} held ${key} validly until ${shown(knewMs)}, and the servers could grant it to another from ${shown(freeMs)} on, ${shown(-gapMs)} earlier`;
}
