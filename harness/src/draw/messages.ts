import { ms, shortened } from './format.ts';
import { type Moment, NOISE, type TimelineEntry } from './moment.ts';
import type { Message, Scene } from './scene.ts';

/** A message that takes this many times longer than usual is slow. */
const SLOW = 4;
/** The maximum number of messages in a picture. */
const DRAWN_MAX = 30;

/**
 * The messages that a timeline shows: requests that reached a node, and all that were slow or never arrived. Messages
 * that leave or arrive together, as the replies to a vote do, are one moment. Requests of different clients to one node
 * stay apart, because their order may matter.
 */
export function messageMoments(scene: Scene): Moment[] {
  const usualMs = usualMsOf(scene.messages);
  const nodes = new Set(scene.actors.filter(({ kind }) => kind === 'node').map(({ id }) => id));
  const known = new Set<string>();
  const changes = new Set(
    scene.serverState.flatMap(({ node, fromMs, untilMs }) => [
      nodeTime(node, fromMs),
      nodeTime(node, untilMs),
    ]),
  );
  const drafts = scene.messages.flatMap((message) => {
    const { from, to, label, arrivedMs } = message;
    if (arrivedMs === null) return [lost(message)];
    const isSlow = isOddlySlow(message, usualMs);
    if (!isSlow && !nodes.has(to)) return [];
    const name = [from, to, label].join('\n');
    const isFirst = !known.has(name);
    known.add(name);
    const weight = weightOf(message, changes.has(nodeTime(to, arrivedMs)), isSlow, isFirst);
    const isRequest = nodes.has(to);
    return [{ ...arrived(message, arrivedMs, isSlow), weight, isRequest }];
  });
  return merged(drafts).map(({ textFor, others, isRequest: _, ...moment }) => ({
    ...moment,
    what: textFor(others),
  }));
}

/** The moment of a message at one end, with the other ends of all messages that it stands for. */
interface Draft extends Omit<Moment, 'what'> {
  readonly others: readonly string[];
  /** True if it reached a node. */
  readonly isRequest?: boolean;
  readonly textFor: (others: readonly string[]) => string;
}

function merged(drafts: readonly Draft[]): readonly Draft[] {
  const alike = new Map<string, Draft>();
  for (const each of drafts) {
    const sender = each.isRequest ? each.others.join() : '';
    const name = `${each.atMs}\n${each.actor}\n${sender}\n${each.textFor([])}`;
    const known = alike.get(name);
    const weight = Math.max(each.weight, known?.weight ?? 0);
    const others = [...new Set([...(known?.others ?? []), ...each.others])];
    alike.set(name, { ...each, weight, others });
  }
  return [...alike.values()];
}

function nodeTime(node: string, atMs: number): string {
  return `${node}\n${atMs}`;
}

/** Repeated requests of a waiter are noise; a message that changed the data of a node never is. */
function weightOf(
  message: Message,
  changesState: boolean,
  isSlow: boolean,
  isFirst: boolean,
): number {
  if (changesState) return isSlow ? 8 : 5;
  if (isSlow) return 5;
  return isFirst && !SERVICE.has(message.label) ? 3 : NOISE;
}

/** Subscriptions of waiters, which matter only if they fail. */
const SERVICE = new Set(['SUBSCRIBE', 'UNSUBSCRIBE', 'SSUBSCRIBE', 'SUNSUBSCRIBE']);

function lost({ from, to, label, sentMs, detail }: Message): Draft {
  const textFor = (others: readonly string[]): string => {
    const never = others.length > 1 ? 'they never arrive' : 'it never arrives';
    return `${label} to ${shortened(others)}${inBrackets(detail)}: ${never}`;
  };
  return { atMs: sentMs, actor: from, kind: 'message', weight: 7, others: [to], textFor };
}

function arrived(
  { from, to, label, sentMs, detail }: Message,
  atMs: number,
  isSlow: boolean,
): Omit<Draft, 'weight'> {
  const delay = isSlow ? `, after ${ms(atMs - sentMs)} ms` : '';
  const textFor = (others: readonly string[]): string => {
    const arrives = others.length > 1 ? ': they arrive' : ' arrives';
    return `${label} from ${shortened(others)}${arrives}${delay}${inBrackets(detail)}`;
  };
  return { atMs, actor: to, kind: 'message', others: [from], textFor };
}

function inBrackets(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}

/** True if a message was lost or took much longer than usual. */
export function isOdd(message: Message, usualMs: number): boolean {
  return message.arrivedMs === null || isOddlySlow(message, usualMs);
}

function isOddlySlow({ sentMs, arrivedMs }: Message, usualMs: number): boolean {
  return arrivedMs !== null && arrivedMs - sentMs > SLOW * Math.max(usualMs, 0.5);
}

/** The usual time of a message on its way: the upper median. */
export function usualMsOf(messages: readonly Message[]): number {
  const timesMs = messages.flatMap(({ sentMs, arrivedMs }) =>
    arrivedMs === null ? [] : [arrivedMs - sentMs],
  );
  return timesMs.toSorted((a, b) => a - b)[Math.floor(timesMs.length / 2)] ?? 0;
}

/** The messages that a picture draws: lost and slow ones first, then those nearest to a numbered moment of either end. */
export function chosenMessages(
  { messages }: Scene,
  entries: readonly TimelineEntry[],
): readonly Message[] {
  const usualMs = usualMsOf(messages);
  const distance = (message: Message): number =>
    isOdd(message, usualMs)
      ? -1
      : Math.min(
          ...entries
            .filter(({ actors }) => actors.includes(message.from) || actors.includes(message.to))
            .flatMap(({ atMs }) => [
              Math.abs(atMs - message.sentMs),
              Math.abs(atMs - (message.arrivedMs ?? message.sentMs)),
            ]),
        );
  const ranked = messages
    .map((message) => ({ message, away: distance(message) }))
    .toSorted((a, b) => a.away - b.away);
  // A waiter that polls sends many messages; those far from every numbered moment are noise.
  const near = ranked.filter(({ away }) => away <= 2 * Math.max(usualMs, 0.5));
  const kept = new Set(near.slice(0, DRAWN_MAX).map(({ message }) => message));
  return messages.filter((message) => kept.has(message));
}
