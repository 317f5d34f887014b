import type { HistoryEvent } from '@holdfast/core/backend';

/** Rare states. Some schedules have to reach each of them, or the search proves nothing. */
export const SOMETIMES = [
  'contended acquire',
  'a lease ran out while held',
  'a holder came late',
  'a token was refused',
  'a client died',
  'a key was handed over in an aftermath',
  'exactly a quorum',
  'an unreplicated lock was lost',
] as const;

export type Sometimes = (typeof SOMETIMES)[number];

/** Returns the states that a history shows. */
export function seenIn(history: readonly HistoryEvent[]): readonly Sometimes[] {
  const seen: Sometimes[] = [];
  const lost = new Set<string>();
  for (const event of history) {
    if (event.type === 'lost') {
      lost.add(event.hold);
      if (event.reason === 'deadline') seen.push('a lease ran out while held');
    }
    if (event.type === 'exit' && lost.has(event.hold)) seen.push('a holder came late');
    if (event.type === 'write' && !event.accepted) seen.push('a token was refused');
    if (event.type === 'crashed') seen.push('a client died');
  }
  return seen;
}
