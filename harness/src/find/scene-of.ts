import type { FaultId } from '@holdfast/core/backend';
import { fifo, Judge, ownership } from '../check/index.ts';
import type { Actor, ClockPoint, Message, Scene, SceneFault } from '../draw/index.ts';
import { builtInSubject } from '../locks/index.ts';
import { type TargetProperty, verdictOf } from '../search/index.ts';
import {
  clientsOf,
  EPOCH_MS,
  FAULTS,
  type Fault,
  type PlayResult,
  type StoryProperty,
  type TraceRecord,
} from '../simulator/index.ts';
import { whyProvesNothing } from './adapt-schedule.ts';
import { MEMORY, type Names, namesFor, renamed } from './names.ts';
import { messagesOf } from './trace-messages.ts';

/** The property that a story is about. */
export interface StoryFocus {
  readonly property: StoryProperty;
  readonly fenced: boolean;
}

/**
 * Turns a traced run into a scene, the input of drawings.
 * @param title the title of the scene; by default the lock and its faults
 */
export function sceneOf(
  played: PlayResult,
  { property, fenced }: StoryFocus,
  title: string = titleOf(played, fenced),
): Scene {
  const { schedule, trace, complaints } = played;
  const names = namesFor(schedule);
  const history = renamed(played.history, names, fenced);
  const resource = names(fenced ? 'fenced' : 'open');
  const fromMs = history[0]?.atMs ?? 0;
  // Before the first request for the key, locks only set up connections.
  const messages = messagesOf(trace, names, resource).filter(({ sentMs }) => sentMs >= fromMs);
  const actors = actorsOf(played, names, messages, resource);
  return {
    title,
    property,
    verdicts: [
      ...judged(property, fenced).map((wanted) => verdictOf(history, wanted)),
      ...(property === 'fifo' ? [fifo(history, played.queueTickets ?? [])] : []),
      ...(property === 'ownership' ? [ownership(history, touchesOf(played, names))] : []),
      ...(property === 'answers'
        ? [new Judge(history).answers(played.records ?? [], played.refusals)]
        : []),
    ],
    // A complaint begins with the simulator's name of its client.
    complaints: complaints.map((text) => text.replace(/^\S+/, names)),
    history,
    actors,
    messages,
    faults: faultsOf(played, names),
    serverState: stateOf(played, history[0]?.key ?? '', names).filter(({ node }) =>
      actors.some(({ id }) => id === node),
    ),
    unproved: whyProvesNothing(played),
  };
}

function stateOf({ serverHolds }: PlayResult, key: string, names: Names): Scene['serverState'] {
  return serverHolds.map(({ server, client, by, ...rest }) => ({
    ...rest,
    node: names(server),
    key,
    owner: names(client),
    by: by === undefined ? undefined : names(by),
  }));
}

function touchesOf({ touches }: PlayResult, names: Names): PlayResult['touches'] {
  return touches.map((touch) => ({ ...touch, client: names(touch.client), of: names(touch.of) }));
}

function titleOf({ subject, schedule }: PlayResult, fenced: boolean): string {
  if (schedule.choices !== undefined) return `${subject}, one round each`;
  const kinds: readonly FaultId[] = [...new Set(schedule.faults.map(({ kind }) => kind))];
  const faults = kinds.length === 0 ? 'no fault' : `fault ${kinds.join(' and ')}`;
  return `${subject}, ${faults}${fenced ? ', fenced' : ''}`;
}

/** The properties to judge; the resource only if the story is about it. */
function judged(property: StoryProperty, fenced: boolean): readonly TargetProperty[] {
  const always: readonly TargetProperty[] = [
    { property: 'validity', fenced: false },
    { property: 'belief', fenced: false },
  ];
  return property === 'resource' ? [...always, { property, fenced }] : always;
}

function faultsOf(
  { injections, schedule, subject }: PlayResult,
  names: Names,
): readonly SceneFault[] {
  const isEnsemble = builtInSubject(subject)?.ensemble === true;
  return injections.flatMap(({ kind, fault, actors, atMs, untilMs }) => {
    const cause = schedule.faults[fault];
    if (cause === undefined) return [];
    const { reason, ...known } = FAULTS.get(kind);
    const over = lasts(cause) && Number.isFinite(untilMs) ? { untilMs } : {};
    const text = known.text(cause, { isEnsemble });
    return [{ kind, actors: actors.map(names), atMs, ...over, text, reason }];
  });
}

/** True if the end of a fault is worth showing. */
function lasts({ kind, ms }: Fault): boolean {
  return typeof ms === 'number' && ms > 0 && FAULTS.get(kind).isSudden !== true;
}

/** The actors with a lane: all clients, the servers that executed a request or were affected, and a resource that got messages. */
function actorsOf(
  { schedule, trace, injections }: PlayResult,
  names: Names,
  messages: readonly Message[],
  resource: string,
): readonly Actor[] {
  const clients = clientsOf(schedule);
  const executing = new Set(
    trace.filter(({ kind }) => kind === 'exec').map(({ process }) => process),
  );
  const affected = injections.flatMap(({ actors }) => actors);
  const servers = [...new Set([...executing, ...affected])]
    .filter((id) => !clients.includes(id))
    .toSorted();
  const ahead = (id: string): number => (id.endsWith('-replica') ? schedule.replicaClockMs : 0);
  const actor = (kind: Actor['kind'], id: string, aheadMs: number): Actor => ({
    id: names(id),
    kind,
    clock: clockPoints(trace, id, aheadMs),
  });
  // Neither of them has a wall clock.
  const clockless = (kind: Actor['kind'], id: string): readonly Actor[] =>
    messages.some(({ to }) => to === id) ? [{ id, kind, clock: [] }] : [];
  return [
    ...clients.map((id) => actor('client', id, 0)),
    ...servers.map((id) => actor('node', id, ahead(id))),
    ...clockless('node', MEMORY),
    ...clockless('resource', resource),
  ];
}

/** The readings of the wall clock of a process or server, from the jumps and drifts in the trace. */
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
