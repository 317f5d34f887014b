import { ms, shortened } from './format.ts';
import { type Moment, NOISE, type TimelineEntry } from './moment.ts';
import type { Message, Scene } from './scene.ts';

/** So much longer than usual that a reader should know. */
const SLOW = 4;

/**
 * What is worth telling of messages: requests that reached a node, and whatever was slow or never arrived. Those of
 * several that come or go at once, as the answers to a vote do, are told as one; not what different clients ask of a
 * node, for who came first may decide.
 */
export function messageMoments(scene: Scene): Moment[] {
  const usualMs = median(
    scene.messages.flatMap(({ sentMs, arrivedMs }) =>
      arrivedMs === null ? [] : [arrivedMs - sentMs],
    ),
  );
  const nodes = new Set(scene.actors.filter(({ kind }) => kind === 'node').map(({ id }) => id));
  const known = new Set<string>();
  const changes = new Set(
    scene.serverState.flatMap(({ node, fromMs, untilMs }) => [
      nodeTime(node, fromMs),
      nodeTime(node, untilMs),
    ]),
  );
  const told = scene.messages.flatMap((message) => {
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
  return together(told).map(({ say, others, isRequest: _, ...moment }) => ({
    ...moment,
    what: say(others),
  }));
}

/** A message at the end where it is told, with those at the other ends of others like it. */
interface Told extends Omit<Moment, 'what'> {
  readonly others: readonly string[];
  /** That reached a node. */
  readonly isRequest?: boolean;
  readonly say: (others: readonly string[]) => string;
}

function together(told: readonly Told[]): readonly Told[] {
  const alike = new Map<string, Told>();
  for (const each of told) {
    const apart = each.isRequest ? each.others.join() : '';
    const name = `${each.atMs}\n${each.actor}\n${apart}\n${each.say([])}`;
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

/** A waiter that asks again and again is noise; what changed the mind of a node never is. */
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

/** How a waiter listens, which matters only when it fails. */
const SERVICE = new Set(['SUBSCRIBE', 'UNSUBSCRIBE', 'SSUBSCRIBE', 'SUNSUBSCRIBE']);

/** Whether it was under way far longer than messages usually are. */
export function isOddlySlow({ sentMs, arrivedMs }: Message, usualMs: number): boolean {
  return arrivedMs !== null && arrivedMs - sentMs > SLOW * Math.max(usualMs, 0.5);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function lost({ from, to, label, sentMs, detail }: Message): Told {
  const say = (others: readonly string[]): string => {
    const never = others.length > 1 ? 'they never arrive' : 'it never arrives';
    return `${label} to ${shortened(others)}${aside(detail)}: ${never}`;
  };
  return { atMs: sentMs, actor: from, kind: 'message', weight: 7, others: [to], say };
}

function arrived(
  { from, to, label, sentMs, detail }: Message,
  atMs: number,
  isSlow: boolean,
): Omit<Told, 'weight'> {
  const underWay = isSlow ? `, after ${ms(atMs - sentMs)} ms` : '';
  const say = (others: readonly string[]): string => {
    const comes = others.length > 1 ? ': they arrive' : ' arrives';
    return `${label} from ${shortened(others)}${comes}${underWay}${aside(detail)}`;
  };
  return { atMs, actor: to, kind: 'message', others: [from], say };
}

function aside(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}

const MOST = 30;

/** A message as it is drawn. */
export function isOdd(message: Message, usualMs: number): boolean {
  return message.arrivedMs === null || isOddlySlow(message, usualMs);
}

export function usualMsOf(messages: readonly Message[]): number {
  return median(
    messages.flatMap(({ sentMs, arrivedMs }) => (arrivedMs === null ? [] : [arrivedMs - sentMs])),
  );
}

/** The messages that belong to what is told: dead and slow ones first, then those nearest to a numbered moment of either end. */
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
  // A chatty waiter asks again and again; what is far from anything told is noise.
  const near = ranked.filter(({ away }) => away <= 2 * Math.max(usualMs, 0.5));
  const kept = new Set(near.slice(0, MOST).map(({ message }) => message));
  return messages.filter((message) => kept.has(message));
}
