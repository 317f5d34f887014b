import type { Actor, ClockPoint, Message } from '../draw/index.ts';
import { clientsOf, EPOCH_MS, type PlayResult, type TraceRecord } from '../simulator/index.ts';
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

/** How the wall clock of a process or server ran, from what the trace says was done to it. */
function clockPoints(
  trace: readonly TraceRecord[],
  process: string,
  aheadMs: number,
): readonly ClockPoint[] {
  const points: ClockPoint[] = [{ atMs: 0, wallMs: EPOCH_MS + aheadMs, rate: 1 }];
  for (const record of trace) {
    if (record.process !== process || (record.kind !== 'jump' && record.kind !== 'drift')) continue;
    const last = points.at(-1);
    if (last === undefined) continue;
    const { atMs: fromMs, wallMs, rate = 1 } = last;
    const atMs = (record.departUs ?? record.atUs) / 1000;
    const now = { atMs, wallMs: wallMs + (atMs - fromMs) * rate, rate };
    const by = Number(record.label);
    points.push(
      record.kind === 'jump' ? { ...now, wallMs: now.wallMs + by } : { ...now, rate: 1 + by / 1e6 },
    );
  }
  return points;
}
