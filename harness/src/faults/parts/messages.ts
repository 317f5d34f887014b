import fc from 'fast-check';
import type { Message } from '../../sim/net/message.ts';
import {
  type Circumstances,
  client,
  PLAIN,
  routeMasks,
  smallCount,
} from '../../sim/schedule/arbitrary-parts.ts';
import { type FaultFields, LASTING, MASK, NTH } from '../../sim/schedule/fields.ts';
import type { Run } from '../../sim/schedule/run.ts';
import type { Way } from '../../sim/schedule/schedule.ts';
import type { ClientField, DurationField, NodesField } from './elements.ts';

/** The `n`-th message with this label between the client and each of the nodes. */
export type OfMessage = ClientField & NodesField & { readonly label: string; readonly n: number };

export type DelayedMessage = OfMessage & DurationField & { readonly way: Way };

export const DELAYED_MESSAGE: FaultFields = {
  client: true,
  label: true,
  way: ['request', 'reply'],
  numbers: { nodes: MASK, n: NTH, ms: LASTING },
};

export function delayedMessage(
  kind: string,
  circumstances: Circumstances,
  labels: readonly string[],
  ms: fc.Arbitrary<number>,
): fc.Arbitrary<DelayedMessage> {
  return fc.record(
    {
      kind: fc.constant(kind),
      client,
      nodes: routeMasks(circumstances),
      way: fc.constantFrom('request' as const, 'reply' as const),
      label: fc.constantFrom(...labels),
      n: smallCount,
      ms,
    },
    PLAIN,
  );
}

const RESOURCE_LABELS = new Set(['read', 'write']);

/** Delays a message, and the messages behind it on its connection. */
export function injectDelay(run: Run, fault: DelayedMessage, index: number): void {
  const { client: id, way, n, ms } = fault;
  const labels = run.labelsOf(fault.label);
  injectResourceDelay(run, fault, index);
  const counts = new MessageCounter(labels, n);
  run.cluster.network.rule((message) => {
    if (message.way !== way || nameOf(message) !== id || run.areFaultsOver) return 'pass';
    if (!isAt(run, fault.nodes, message) || !counts.reach(message)) return 'pass';
    const injection = { kind: fault.kind, fault: index, actors: [id, peerOf(message)] };
    run.injections.add(injection, ms, () => run.isContended());
    return { delayMs: ms };
  });
}

/** As {@link injectDelay}, for messages to the resource, which is not a server of the cluster. */
function injectResourceDelay(run: Run, fault: DelayedMessage, index: number): void {
  const { way, ms } = fault;
  if (!RESOURCE_LABELS.has(fault.label)) return;
  let left = fault.n;
  run.delays.push((id, label) => {
    const isIt = id === fault.client && label === fault.label && --left === 0 && !run.areFaultsOver;
    const injection = { kind: fault.kind, fault: index, actors: [id] };
    if (isIt) run.injections.add(injection, ms, () => run.isContended());
    return { request: isIt && way === 'request' ? ms : 0, reply: isIt && way === 'reply' ? ms : 0 };
  });
}

/** Counts per route: the n-th message between the client and each of the nodes. */
export class MessageCounter {
  readonly #labels: readonly string[] | undefined;
  readonly #n: number;
  readonly #routes = new Map<string, number>();

  constructor(labels: readonly string[] | undefined, n: number) {
    this.#labels = labels;
    this.#n = n;
  }

  reach({ from, to, label }: Message): boolean {
    if (this.#labels !== undefined && !this.#labels.includes(label)) return false;
    const route = `${from} ${to}`;
    const count = (this.#routes.get(route) ?? 0) + 1;
    this.#routes.set(route, count);
    return count === this.#n;
  }
}

function nameOf({ way, from, to }: Message): string {
  return way === 'request' ? from : to;
}

function peerOf({ way, from, to }: Message): string {
  return way === 'request' ? to : from;
}

/** True if the message goes to or comes from a server that serves one of these addresses. */
export function isAt(run: Run, nodes: number, message: Message): boolean {
  return run.cluster.serving(nodes).some(({ name }) => name === peerOf(message));
}

export function delayText({ way, label, ms }: DelayedMessage): string {
  return `${way === 'request' ? '' : 'reply to '}${label} held up for ${ms} ms`;
}
