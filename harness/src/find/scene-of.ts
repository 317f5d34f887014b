import type { FaultId } from '@holdfast/core';
import { fifo, Judge, ownership } from '../check/index.ts';
import { type Scene, type SceneFault } from '../draw/index.ts';
import { builtInSubject } from '../locks/index.ts';
import { type TargetProperty, verdictOf } from '../search/index.ts';
import { FAULTS, type Fault, type PlayResult, type StoryProperty } from '../simulator/index.ts';
import { actorsOf } from './actors.ts';
import { type Names, namesFor, renamed } from './names.ts';
import { messagesOf } from './trace-messages.ts';
import { whyProvesNothing } from './why-proves-nothing.ts';

/** What a story is about. */
export interface StoryFocus {
  readonly property: StoryProperty;
  readonly fenced: boolean;
}

/**
 * What a traced run looks like as a scene, which is all that drawings know.
 * @param title of the scene; by default the lock and its faults
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
  // Before anybody asks for the key, locks only make themselves known.
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
    // Whoever one is about stands first, by the name that the simulator has for it.
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

/** Of a story about a lock nobody asks what the resource made of it. */
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

/** Whether what it does to whom it strikes has an end that is worth telling. */
function lasts({ kind, ms }: Fault): boolean {
  return typeof ms === 'number' && ms > 0 && FAULTS.get(kind).isSudden !== true;
}
