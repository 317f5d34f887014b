import type { HistoryEvent } from '@holdfast/core/backend';
import { clientsOf, type Schedule } from '../simulator/index.ts';

/** Maps the names of the simulator to the names in a story. */
export type Names = (id: string) => string;

/** The name of the in-memory backend's store. */
export const MEMORY: string = 'store';

const RESOURCES: Readonly<Record<string, string>> = { open: 'counter', fenced: 'fenced counter' };

/** Capital letters for clients, because `a` in a sentence looks like an article. */
export function namesFor(schedule: Schedule): Names {
  const clients = new Set(clientsOf(schedule));
  return (id) => (clients.has(id) ? id.toUpperCase() : (RESOURCES[id] ?? id));
}

/** The history with the names of the story, and only the writes to one of the two resources. */
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
