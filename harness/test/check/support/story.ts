import type { HistoryEvent, HoldMode } from '@holdfast/core/backend';

type Bare<E> = E extends unknown
  ? Omit<E, 'seq' | 'key' | 'client' | 'hold' | 'atMs'> & {
      readonly key?: string;
      readonly client?: string;
    }
  : never;
/** `[atMs, hold, what happened]`; the client is the hold's letter, so `a1` and `a2` are both of `a`. */
export type Line = readonly [number, string, Bare<HistoryEvent>];

/** A history written by hand. */
export function story(...lines: readonly Line[]): readonly HistoryEvent[] {
  return lines.map(([atMs, hold, what], seq) => {
    const place = { seq, atMs, client: hold.charAt(0), key: 'k' };
    if (what.type === 'paused' || what.type === 'crashed') return Object.assign(place, what);
    return Object.assign(place, { hold }, what);
  });
}

/** A hold that was granted at `fromMs`, at once. */
export function granted(
  hold: string,
  fromMs: number,
  validUntilMs: number,
  mode?: HoldMode,
): readonly [Line, Line] {
  return [
    [fromMs, hold, { type: 'acquire' }],
    [fromMs, hold, { type: 'granted', validUntilMs, mode }],
  ];
}

/** By time, as a recorder would have it. */
export function merged(...parts: readonly (readonly Line[])[]): readonly HistoryEvent[] {
  return story(...parts.flat().toSorted(([a], [b]) => a - b));
}
