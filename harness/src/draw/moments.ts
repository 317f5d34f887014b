import type { HistoryEvent } from '@holdfast/core/backend';
import { isUnbounded } from '../check/span.ts';
import { claimsOf } from './conflict.ts';
import { ms } from './format.ts';
import { messageMoments } from './messages.ts';
import type { Moment } from './moment.ts';
import type { Scene, SceneFault, StoredHolder } from './scene.ts';

/** All moments of a scene in order of time; of one time causes come first. */
export function momentsOf(scene: Scene): readonly Moment[] {
  const token = shortTokens(scene.history);
  const moments = [
    ...scene.faults.flatMap(faultMoments),
    ...messageMoments(scene),
    ...scene.serverState.flatMap(stateMoments),
    ...scene.history
      .filter((event) => !isShownAsFault(event, scene))
      .flatMap((event) => eventMoments(event, token)),
    ...endMoments(scene),
  ];
  return moments.toSorted((a, b) => a.atMs - b.atMs);
}

function faultMoments({ actors, atMs, untilMs, text }: SceneFault): Moment[] {
  const isOver = untilMs !== undefined && Number.isFinite(untilMs);
  const over = actors.length > 1 ? 'resume' : 'resumes';
  return actors.flatMap((actor) => [
    { atMs, actor, what: text, kind: 'fault', weight: 10 },
    ...(isOver ? [{ atMs: untilMs, actor, what: over, kind: 'fault', weight: 6 } as const] : []),
  ]);
}

/** True for a pause or crash in the history that a fault of the scene already describes. */
function isShownAsFault(event: HistoryEvent, { faults }: Scene): boolean {
  if (event.type !== 'paused' && event.type !== 'crashed') return false;
  return faults.some(
    ({ actors, atMs }) => actors.includes(event.client) && Math.abs(atMs - event.atMs) < 0.5,
  );
}

function stateMoments({ node, key, owner, untilMs, end, by = 'another' }: StoredHolder): Moment[] {
  if (end === undefined || end === 'released' || !Number.isFinite(untilMs)) return [];
  const what = {
    expired: `${key}, held for ${owner}, expires`,
    taken: `${key} is taken from ${owner} by ${by}`,
    removed: `${key}, held for ${owner}, is deleted by ${by}`,
    'data lost': `${key}, held for ${owner}, is gone`,
  };
  return [{ atMs: untilMs, actor: node, what: what[end], kind: 'state', weight: 7 }];
}

/** Leases that expired without an event. */
function endMoments(scene: Scene): Moment[] {
  return claimsOf(scene)
    .valid.filter(
      ({ fromMs, untilMs, proof }) =>
        Number.isFinite(untilMs) &&
        !isUnbounded(fromMs, untilMs) &&
        !proof.some(({ atMs }) => atMs === untilMs),
    )
    .map(({ untilMs, client }) => ({
      atMs: untilMs,
      actor: client,
      what: 'lease ends, by its own clocks',
      kind: 'event',
      weight: 7,
    }));
}

/** The moment of an event: what a client did, or what the resource did with its write. */
function eventMoments(event: HistoryEvent, token: ShortToken): Moment[] {
  const text = eventText(event, token);
  if (text === undefined) return [];
  const [what, weight] = text;
  const actor = event.type === 'write' ? event.resource : event.client;
  return [{ atMs: event.atMs, actor, what, kind: 'event', weight }];
}

function eventText(event: HistoryEvent, token: ShortToken): readonly [string, number] | undefined {
  switch (event.type) {
    case 'acquire':
      return [`requests ${event.key}`, 4];
    case 'granted':
      return [`acquires it, ${validity(event)}${token(event.token, ', token ')}`, 9];
    case 'denied':
      return [`is denied: ${event.reason}`, 2];
    case 'doubt':
      return [`outcome unknown: ${event.reason}`, 6];
    case 'renewed':
      return [`renewed: valid until ${ms(event.validUntilMs)} ms`, 3];
    case 'lost':
      return [`learns that its lease is lost: ${event.reason}`, 6];
    case 'release':
      return ['releases it', 4];
    case 'released':
      return event.outcome === 'released' ? undefined : [RELEASED[event.outcome], 4];
    case 'enter':
      return ['enters', 2];
    case 'exit':
      return ['leaves', 3];
    case 'write':
      return [written(event, token), 8];
    case 'paused':
      return [`is paused until ${ms(event.untilMs)} ms`, 9];
    case 'crashed':
    default:
      return ['crashes', 9];
  }
}

function validity({
  atMs,
  validUntilMs,
}: Extract<HistoryEvent, { readonly type: 'granted' }>): string {
  return isUnbounded(atMs, validUntilMs)
    ? 'valid until it is released'
    : `valid until ${ms(validUntilMs)} ms`;
}

const RELEASED = {
  'not-held': 'release reply: not held',
  unknown: 'release outcome unknown',
};

function written(
  event: Extract<HistoryEvent, { readonly type: 'write' }>,
  token: ShortToken,
): string {
  const value = event.value === undefined ? 'a write' : `the write of ${event.value}`;
  const from = event.readValue === undefined ? '' : `, computed from ${event.readValue}`;
  const verdict = event.accepted ? 'accepts' : 'refuses';
  return `${verdict} ${value} by ${event.client}${from}${token(event.token, ', token ')}`;
}

/** Prints a token behind some words; nothing without a token. */
export type ShortToken = (token: string | undefined, before: string) => string;

const SHORTEST = 4;

/** Shortens tokens: those of sixteen digits differ only in the last few, so the shared digits are omitted. */
export function shortTokens(history: readonly HistoryEvent[]): ShortToken {
  const tokens = [
    ...new Set(
      history.flatMap((event) =>
        'token' in event && event.token !== undefined ? [event.token] : [],
      ),
    ),
  ];
  const shared = Math.min(sharedLength(tokens), ...tokens.map(({ length }) => length - SHORTEST));
  return (token, before) => {
    if (token === undefined) return '';
    return shared > 1 ? `${before}…${token.slice(shared)}` : `${before}${token}`;
  };
}

function sharedLength(tokens: readonly string[]): number {
  const [first = '', ...rest] = tokens;
  if (rest.some(({ length }) => length !== first.length)) return 0;
  let length = 0;
  while (length < first.length && rest.every((token) => token[length] === first[length])) length++;
  return length;
}
