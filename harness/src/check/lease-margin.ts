import type { HistoryEvent, Verdict } from '@holdfast/core/backend';
import { doubted, flawOf } from './flaw.ts';
import { validSpans } from './mutual-exclusion.ts';
import type { Span } from './span.ts';
import { ok, shown, violated } from './verdict.ts';

/** The moment from which the servers could grant the key of a hold to another client; known only in the simulator. */
export interface KeyFreed {
  readonly hold: string;
  readonly atMs: number;
  /** The hold expired, or a client deleted it: usually the holder, which releases a lost lease. */
  readonly how: 'expired' | 'deleted';
}

/** The safety margin of a lease that was not released: from when its holder knew of the end until the servers could grant another. */
export interface LeaseMargin {
  readonly hold: string;
  readonly client: string;
  readonly key: string;
  /** From here on the holder knows that its lease has ended: its validity is over, or it learned of the loss. */
  readonly knewMs: number;
  readonly freeMs: number;
  /** Negative: two clients could have held validly. */
  readonly marginMs: number;
  readonly how: KeyFreed['how'];
}

/**
 * The margin of every lease that was lost or expired. A released lease ends for its holder before the request reaches the
 * servers, so it shows nothing. Expects a history without flaw.
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
 * Judges if every holder knew that its lease had ended before the servers could grant the key to another client. Stricter
 * than mutual exclusion, which is violated only if another client was there to be granted the key.
 */
export function judgeEarlyGrant(
  history: readonly HistoryEvent[],
  freed: readonly KeyFreed[],
): Verdict {
  const doubt = doubted(flawOf(history), 'server-state');
  if (doubt !== undefined) return doubt;
  const margins = leaseMarginsOf(history, freed);
  const worst = margins.toSorted((a, b) => a.marginMs - b.marginMs)[0];
  if (worst === undefined || worst.marginMs >= 0)
    return ok(
      'server-state',
      `${margins.length} holders knew of their end before the servers could grant another`,
    );
  const proof = history.filter((event) => 'hold' in event && event.hold === worst.hold);
  return violated('server-state', describe(worst), proof);
}

/** True if the lease had ended before its holder learned of the grant. */
function isEmpty({ fromMs, untilMs }: Span): boolean {
  return untilMs <= fromMs;
}

function isReleased({ proof }: Span): boolean {
  return proof.some(({ type }) => type === 'release');
}

function leaseMarginOf({ hold, client, key, untilMs }: Span, { atMs, how }: KeyFreed): LeaseMargin {
  return { hold, client, key, knewMs: untilMs, freeMs: atMs, marginMs: atMs - untilMs, how };
}

function describe({ client, key, knewMs, freeMs, marginMs }: LeaseMargin): string {
  return `${client} held ${key} validly until ${shown(knewMs)}, and the servers could grant it to another from ${shown(freeMs)} on, ${shown(-marginMs)} earlier`;
}
