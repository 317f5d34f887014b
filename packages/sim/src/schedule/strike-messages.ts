import type { Message } from '../net/message.ts';
import type { Arena } from './arena.ts';
import type { Delay, LostReply, LostWakeUp } from './schedule.ts';

const RESOURCE_LABELS = new Set(['read', 'write']);

/** A message, and what follows it on its connection, arrives late. */
export function strikeDelay(arena: Arena, fault: Delay, index: number): void {
  const { client, way, n, ms } = fault;
  const labels = arena.labelsOf(fault.label);
  strikeResource(arena, fault, index);
  const counts = new Counts(labels, n);
  arena.machines.network.rule((message) => {
    if (message.way !== way || nameOf(message) !== client || arena.isCalm) return 'pass';
    if (!isAt(arena, fault.nodes, message) || !counts.reach(message)) return 'pass';
    tell(arena, fault.kind, index, [client, peerOf(message)], ms);
    return { delayMs: ms };
  });
}

/** As {@link strikeDelay}, for what a client sends to the resource, which is no server that could be cut off. */
function strikeResource(arena: Arena, fault: Delay, index: number): void {
  const { way, ms } = fault;
  if (!RESOURCE_LABELS.has(fault.label)) return;
  let left = fault.n;
  arena.delays.push((client, label) => {
    const isIt = client === fault.client && label === fault.label && --left === 0 && !arena.isCalm;
    if (isIt) tell(arena, fault.kind, index, [client], ms);
    return { request: isIt && way === 'request' ? ms : 0, reply: isIt && way === 'reply' ? ms : 0 };
  });
}

/** It was applied, but its reply is lost and the connection broken. */
export function strikeLostReply(arena: Arena, fault: LostReply, index: number): void {
  const counts = new Counts(arena.labelsOf(fault.label), fault.n);
  arena.machines.network.rule((message) => {
    if (message.way !== 'reply' || message.to !== fault.client || arena.isCalm) return 'pass';
    if (!isAt(arena, fault.nodes, message) || !counts.reach(message)) return 'pass';
    // Whether it was applied is in doubt for as long as what it may have written stands.
    tell(arena, 'lost-reply', index, [fault.client, message.from], arena.schedule.ttlMs);
    return 'reset';
  });
}

/** A notification never arrives; the connection it should have come on goes silent. */
export function strikeWakeUp(arena: Arena, fault: LostWakeUp, index: number): void {
  const counts = new Counts(undefined, fault.n);
  arena.machines.network.rule((message) => {
    if (message.way !== 'push' || message.to !== fault.client || arena.isCalm) return 'pass';
    if (!isAt(arena, fault.nodes, message) || !counts.reach(message)) return 'pass';
    const waits = (arena.clients.get(fault.client)?.waiting ?? 0) > 0;
    const told = { kind: 'lost-wakeup', fault: index, actors: [fault.client] } as const;
    // Who published it has just held.
    arena.strikes.add(told, 0, () => waits);
    return 'drop';
  });
}

/** Counts on each road apart: the n-th message between the client and each of the nodes. */
class Counts {
  readonly #labels: readonly string[] | undefined;
  readonly #n: number;
  readonly #roads = new Map<string, number>();

  constructor(labels: readonly string[] | undefined, n: number) {
    this.#labels = labels;
    this.#n = n;
  }

  reach({ from, to, label }: Message): boolean {
    if (this.#labels !== undefined && !this.#labels.includes(label)) return false;
    const road = `${from} ${to}`;
    const count = (this.#roads.get(road) ?? 0) + 1;
    this.#roads.set(road, count);
    return count === this.#n;
  }
}

function nameOf({ way, from, to }: Message): string {
  return way === 'request' ? from : to;
}

function peerOf({ way, from, to }: Message): string {
  return way === 'request' ? to : from;
}

function isAt(arena: Arena, nodes: number, message: Message): boolean {
  return arena.machines.serving(nodes).some(({ name }) => name === peerOf(message));
}

function tell(
  arena: Arena,
  kind: 'delay' | 'reorder' | 'lost-reply',
  fault: number,
  actors: readonly string[],
  ms: number,
): void {
  arena.strikes.add({ kind, fault, actors }, ms, () => arena.isContended());
}
