import type { Actor, Message } from '../draw/index.ts';
import { clientsOf, type PlayResult } from '../simulator/index.ts';
import { clockPoints } from './clock-points.ts';
import { MEMORY, type Names } from './names.ts';

/** Who has a lane: all clients, the servers that were asked anything or struck, and the resource if anything was written to it. */
export function actorsOf(
  { schedule, trace, injections }: PlayResult,
  names: Names,
  messages: readonly Message[],
  resource: string,
): readonly Actor[] {
  const clients = clientsOf(schedule);
  const asked = new Set(trace.filter(({ kind }) => kind === 'exec').map(({ process }) => process));
  const struck = injections.flatMap(({ actors }) => actors);
  const servers = [...new Set([...asked, ...struck])]
    .filter((id) => !clients.includes(id))
    .toSorted();
  const ahead = (id: string): number => (id.endsWith('-replica') ? schedule.replicaClockMs : 0);
  const actor = (kind: Actor['kind'], id: string, aheadMs: number): Actor => ({
    id: names(id),
    kind,
    clock: clockPoints(trace, id, aheadMs),
  });
  // Neither of them is asked for the time of day.
  const still = (kind: Actor['kind'], id: string): readonly Actor[] =>
    messages.some(({ to }) => to === id) ? [{ id, kind, clock: [] }] : [];
  return [
    ...clients.map((id) => actor('client', id, 0)),
    ...servers.map((id) => actor('node', id, ahead(id))),
    ...still('node', MEMORY),
    ...still('resource', resource),
  ];
}
