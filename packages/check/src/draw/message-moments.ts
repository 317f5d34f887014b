import { type Moment, NOISE } from './moment.ts';
import { ms } from './ms.ts';
import type { Message, Scene } from './scene.ts';

/** So much longer than usual that a reader should know. */
const SLOW = 4;

/** What is worth telling of messages: requests that reached a node, and whatever was slow or never arrived. */
export function messageMoments(scene: Scene): Moment[] {
  const usualMs = median(
    scene.messages.flatMap(({ sentMs, arrivedMs }) =>
      arrivedMs === null ? [] : [arrivedMs - sentMs],
    ),
  );
  const nodes = new Set(scene.actors.filter(({ kind }) => kind === 'node').map(({ id }) => id));
  const known = new Set<string>();
  return scene.messages.flatMap((message) => {
    const { from, to, label, arrivedMs } = message;
    if (arrivedMs === null) return [lost(message)];
    const isSlow = isOddlySlow(message, usualMs);
    if (!isSlow && !nodes.has(to)) return [];
    const name = [from, to, label].join('\n');
    const isFirst = !known.has(name);
    known.add(name);
    return [
      { ...arrived(message, arrivedMs, isSlow), weight: weightOf(message, scene, isSlow, isFirst) },
    ];
  });
}

/** A waiter that asks again and again is noise; what changed the mind of a node never is. */
function weightOf(
  message: Message,
  { serverState }: Scene,
  isSlow: boolean,
  isFirst: boolean,
): number {
  const changes = serverState.some(
    ({ node, fromMs, untilMs }) =>
      node === message.to && (fromMs === message.arrivedMs || untilMs === message.arrivedMs),
  );
  if (changes) return isSlow ? 8 : 5;
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

function lost({ from, to, label, sentMs, detail }: Message): Moment {
  const what = `${label} to ${to}${aside(detail)}: it never arrives`;
  return { atMs: sentMs, actor: from, what, kind: 'message', weight: 7 };
}

function arrived(
  { from, to, label, sentMs, detail }: Message,
  atMs: number,
  isSlow: boolean,
): Omit<Moment, 'weight'> {
  const underWay = isSlow ? `, after ${ms(atMs - sentMs)} ms` : '';
  const what = `${label} from ${from} arrives${underWay}${aside(detail)}`;
  return { atMs, actor: to, what, kind: 'message' } as const;
}

function aside(detail: string | undefined): string {
  return detail === undefined ? '' : ` (${detail})`;
}
