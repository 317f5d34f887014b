import type { TimelineEntry } from './join-moments.ts';
import { isOddlySlow, median } from './message-moments.ts';
import type { Message, Scene } from './scene.ts';

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
