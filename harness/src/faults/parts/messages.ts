import fc from 'fast-check';
import type { Message } from '../../sim/net/message.ts';
import {
  type Circumstances,
  client,
  few,
  PLAIN,
  roadsOf,
} from '../../sim/schedule/arbitrary-parts.ts';
import type { Arena } from '../../sim/schedule/arena.ts';
import { type Fields, LASTING, MASK, NTH } from '../../sim/schedule/fields.ts';
import type { Way } from '../../sim/schedule/schedule.ts';
import type { Lasting, OfClient, OfNodes } from './elements.ts';

/** Which message: the `n`-th with this label between the client and each of the nodes. */
export type OfMessage = OfClient & OfNodes & { readonly label: string; readonly n: number };

export type Late = OfMessage & Lasting & { readonly way: Way };

export const LATE: Fields = {
  client: true,
  label: true,
  way: ['request', 'reply'],
  numbers: { nodes: MASK, n: NTH, ms: LASTING },
};

export function late(
  kind: string,
  circumstances: Circumstances,
  labels: readonly string[],
  ms: fc.Arbitrary<number>,
): fc.Arbitrary<Late> {
  return fc.record(
    {
      kind: fc.constant(kind),
      client,
      nodes: roadsOf(circumstances),
      way: fc.constantFrom('request' as const, 'reply' as const),
      label: fc.constantFrom(...labels),
      n: few,
      ms,
    },
    PLAIN,
  );
}

const RESOURCE_LABELS = new Set(['read', 'write']);

/** A message, and what follows it on its connection, arrives late. */
export function strikeLate(arena: Arena, fault: Late, index: number): void {
  const { client: id, way, n, ms } = fault;
  const labels = arena.labelsOf(fault.label);
  strikeResource(arena, fault, index);
  const counts = new Counts(labels, n);
  arena.cluster.network.rule((message) => {
    if (message.way !== way || nameOf(message) !== id || arena.isCalm) return 'pass';
    if (!isAt(arena, fault.nodes, message) || !counts.reach(message)) return 'pass';
    const told = { kind: fault.kind, fault: index, actors: [id, peerOf(message)] };
    arena.strikes.add(told, ms, () => arena.isContended());
    return { delayMs: ms };
  });
}

/** As {@link strikeLate}, for what a client sends to the resource, which is no server that could be cut off. */
function strikeResource(arena: Arena, fault: Late, index: number): void {
  const { way, ms } = fault;
  if (!RESOURCE_LABELS.has(fault.label)) return;
  let left = fault.n;
  arena.delays.push((id, label) => {
    const isIt = id === fault.client && label === fault.label && --left === 0 && !arena.isCalm;
    const told = { kind: fault.kind, fault: index, actors: [id] };
    if (isIt) arena.strikes.add(told, ms, () => arena.isContended());
    return { request: isIt && way === 'request' ? ms : 0, reply: isIt && way === 'reply' ? ms : 0 };
  });
}

/** Counts on each road apart: the n-th message between the client and each of the nodes. */
export class Counts {
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

/** Whether it goes to, or comes from, a server that serves at one of these addresses. */
export function isAt(arena: Arena, nodes: number, message: Message): boolean {
  return arena.cluster.serving(nodes).some(({ name }) => name === peerOf(message));
}

export function lateText({ way, label, ms }: Late): string {
  return `${way === 'request' ? '' : 'answer to '}${label} held up for ${ms} ms`;
}
