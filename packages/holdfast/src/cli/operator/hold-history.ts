import type { Inspection } from '@holdfast/core';
import { parseOwner } from '@holdfast/core/backend';

/** Why a hold ended, as far as a look from outside can tell. */
export type HoldEnd =
  /** Before its lease was over: its holder released it, or an operator did. */
  | 'released'
  /** Its lease had run out by then: its holder crashed or lost it. */
  | 'expired'
  /** The store does not say how much of a lease is left. */
  | 'unknown';

/** What a look has found that the one before had not. */
export type Change =
  | { readonly change: 'held'; readonly hold: Hold }
  | { readonly change: 'ended'; readonly hold: Hold; readonly how: HoldEnd }
  | { readonly change: 'waiters'; readonly hold: Hold };

/** A hold that was seen. */
export interface Hold {
  readonly inspection: Inspection;
  readonly contender: string;
  /** When it was seen first, in ms since 1970: some stores do not know when it began. */
  readonly firstSeenMs: number;
  /** Holds of this key that were seen to expire. */
  readonly losses: number;
}

interface Seen extends Hold {
  readonly lookedAtMs: number;
}

/** Compares what a store holds now with what it held at the look before. */
export class HoldHistory {
  readonly #holds = new Map<string, Seen>();
  readonly #losses = new Map<string, number>();

  /** The holds that were seen at the latest look, sorted by key. */
  get holds(): readonly Hold[] {
    return [...this.#holds.values()].toSorted((a, b) =>
      a.inspection.key < b.inspection.key ? -1 : 1,
    );
  }

  /** The keys of these holds. */
  get keys(): readonly string[] {
    return [...this.#holds.keys()];
  }

  /** Takes a look; `atMs` is monotonic, and as of when its request left or later. */
  look(inspection: Inspection, atMs: number, wallMs: number): readonly Change[] {
    const { key, held } = inspection;
    const before = this.#holds.get(key);
    const contender = held ? contenderOf(inspection) : undefined;
    if (before !== undefined && before.contender === contender)
      return this.#lookAgain(before, inspection, atMs);
    const ended = before === undefined ? [] : [this.#end(before, atMs)];
    if (contender === undefined) return ended;
    const losses = this.#losses.get(key) ?? 0;
    const hold = { inspection, contender, firstSeenMs: wallMs, losses, lookedAtMs: atMs };
    this.#holds.set(key, hold);
    return [...ended, { change: 'held', hold }];
  }

  #lookAgain(before: Seen, inspection: Inspection, lookedAtMs: number): readonly Change[] {
    const hold = { ...before, inspection, lookedAtMs };
    this.#holds.set(inspection.key, hold);
    const isSame = before.inspection.waiters === inspection.waiters;
    return isSame ? [] : [{ change: 'waiters', hold }];
  }

  #end(hold: Seen, atMs: number): Change {
    const { key, remainingMs } = hold.inspection;
    const how = endOf(remainingMs, atMs - hold.lookedAtMs);
    this.#holds.delete(key);
    const losses = hold.losses + (how === 'expired' ? 1 : 0);
    if (losses > 0) this.#losses.set(key, losses);
    return { change: 'ended', hold: { ...hold, losses }, how };
  }
}

function endOf(remainingMs: number | undefined, passedMs: number): HoldEnd {
  if (remainingMs === undefined) return 'unknown';
  return passedMs < remainingMs ? 'released' : 'expired';
}

/** A healing or another attempt changes the owner value, and not the contender. */
function contenderOf({ owner = '' }: Inspection): string {
  return parseOwner(owner)?.contender ?? owner;
}
