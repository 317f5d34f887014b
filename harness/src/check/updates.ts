import type { HistoryEvent } from '@holdfast/core';

export type Write = Extract<HistoryEvent, { readonly type: 'write' }>;

/** What a resource did with the updates it was sent. */
export interface Updates {
  readonly accepted: number;
  readonly refused: number;
  /** Accepted, and overwritten by one that did not know of it. */
  readonly lost: number;
  /** Accepted although a larger token had been accepted before; of a resource that compares tokens it has to be 0. */
  readonly stale: number;
}

/** Counts the updates of a counter: every accepted write adds one to what it read. */
export function updatesOf(history: readonly HistoryEvent[], fenced: boolean): Updates {
  const writes = writesOf(history, fenced);
  const accepted = writes.filter((write) => write.accepted);
  // What the counter lacks at the end was overwritten.
  const value = accepted.at(-1)?.value ?? 0;
  return {
    accepted: accepted.length,
    refused: writes.length - accepted.length,
    lost: accepted.length - value,
    stale: staleIn(accepted),
  };
}

/** The writes to resources that compare tokens, or to those that do not. */
export function writesOf(history: readonly HistoryEvent[], fenced: boolean): readonly Write[] {
  return history.filter(
    (event): event is Write => event.type === 'write' && event.fenced === fenced,
  );
}

function staleIn(accepted: readonly Write[]): number {
  let largest = 0n;
  let stale = 0;
  for (const { token } of accepted) {
    if (token === undefined) continue;
    const own = BigInt(token);
    if (own < largest) stale++;
    else largest = own;
  }
  return stale;
}
