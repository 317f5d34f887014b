import type { HistoryEvent } from '@holdfast/core';
import { clientsOf, type Schedule } from '../simulator/index.ts';

/** What those in a run are called in a story, by what they are called in the simulator. */
export type Names = (id: string) => string;

/** The store of the in-memory backend. */
export const MEMORY: string = 'store';

const RESOURCES: Readonly<Record<string, string>> = { open: 'counter', fenced: 'fenced counter' };

/** Clients get capital letters: `a` in a sentence looks like an article. */
export function namesFor(schedule: Schedule): Names {
  const clients = new Set(clientsOf(schedule));
  return (id) => (clients.has(id) ? id.toUpperCase() : (RESOURCES[id] ?? id));
}

/** The history as the story tells it: by its names, and with the writes to one of the two resources only. */
export function renamed(
  history: readonly HistoryEvent[],
  names: Names,
  fenced: boolean,
): readonly HistoryEvent[] {
  return history
    .filter((event) => event.type !== 'write' || event.fenced === fenced)
    .map((event) => {
      const who = { ...event, client: names(event.client) };
      return who.type === 'write' ? { ...who, resource: names(who.resource) } : who;
    });
}
