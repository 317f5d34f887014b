import type { HistoryEvent } from '@holdfast/core/backend';

export type Write = Extract<HistoryEvent, { readonly type: 'write' }>;

/** The updates that were sent to a resource, by their outcome. */
export interface Updates {
  readonly accepted: number;
  readonly refused: number;
  /** Accepted, then overwritten by an update computed from an older value. */
  readonly lost: number;
  /** Accepted after a larger token; 0 at a resource that compares tokens. */
  readonly stale: number;
}

/** Counts the updates of a counter: every accepted write adds one to the value that it read. */
export function updatesOf(history: readonly HistoryEvent[], fenced: boolean): Updates {
  const writes = writesOf(history, fenced);
  const accepted = writes.filter((write) => write.accepted);
  // The difference to the final value was overwritten.
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
