/** The contenders of one key, by the names of their nodes. Pure. */

import { type HoldMode } from '@holdfast/core/backend';
import { nameInMode, parseNameInMode, type QueuedMode, QueueModes } from '@holdfast/core/queue';
import type { Readers } from './modes/reader-token.ts';

/**
 * `‹contender id›-lock-‹sequence›`, also of Curator's `InterProcessMutex`; with `__lock__` in between, of kazoo's `Lock`. The
 * sequence is printed by `%010d`, negative ones with their sign.
 */
const NAME = /^(.+?)(?:-lock-|__lock__)(-?\d{9,10})$/;
/** The names of contenders of Curator and of kazoo. */
const NEIGHBOUR = /^_c_|__lock__-?\d+$/;
const INT32_MAX = 2 ** 31 - 1;
/** Entries that a queue shared with other libraries keeps clear of the end of the sequence. */
const END_MARGIN = 1_000_000;
/** On the wire, a name in a listing is its length and ASCII characters. */
const LENGTH_BYTES = 4;

/** A contender's node in the queue. */
export interface QueueNode {
  readonly name: string;
  readonly contender: string;
  readonly sequence: number;
  readonly mode?: QueuedMode;
}

/** The name of a contender's node, to which the server appends the sequence. */
export function prefixOf(contender: string, mode?: HoldMode): string {
  return `${nameInMode(contender, mode)}-lock-`;
}

/** Undefined for the name of anything that is not a contender. */
export function parseQueueNode(name: string): QueueNode | undefined {
  const [, stem, digits] = NAME.exec(name) ?? [];
  if (stem === undefined || digits === undefined) return undefined;
  const sequence = Number(digits);
  if (sequence > INT32_MAX || sequence < -INT32_MAX - 1) return undefined;
  if (!stem.includes(':')) return { name, contender: stem, sequence };
  return { name, sequence, ...parseNameInMode(stem) };
}

/**
 * True if `a` entered before `b`. The server counts in 32 signed bits, so 2 147 483 647 is followed by −2 147 483 648.
 * The comparison by the difference in 32 bits (RFC 1982) outlives that, as long as no contender waits while 2³¹ others
 * enter.
 */
export function isBefore(a: QueueNode, b: QueueNode): boolean {
  return ((a.sequence - b.sequence) | 0) < 0;
}

/** True if the sequence of `node` is `upTo`, or came before that. */
export function isReached({ sequence }: QueueNode, upTo: number): boolean {
  return ((sequence - upTo) | 0) <= 0;
}

/**
 * True if other libraries may order `node` wrongly: they compare sequences as text, in which −2 147 483 648, that follows
 * 2 147 483 647, comes first. A little before that, too, since a contender may wait while others pass the end.
 */
export function isNearEnd({ sequence }: QueueNode): boolean {
  return sequence < 0 || sequence > INT32_MAX - END_MARGIN;
}

/** True if the node is one of a library that compares sequences as text. */
export function isNeighbour({ name }: QueueNode): boolean {
  return NEIGHBOUR.test(name);
}

/** A listing of a container. */
export interface Queue {
  /** The contenders in order of arrival. */
  readonly nodes: readonly QueueNode[];
  /** Children that are no contenders. */
  readonly foreignNodes: readonly string[];
  /** The length of the listing on the wire. */
  readonly bytes: number;
  /** Absent if all contenders are exclusive. */
  readonly modes?: QueueModes | undefined;
}

/** Sorts the children of a container. Each name is parsed once, for all contenders that share the listing. */
export function queueOf(children: readonly string[]): Queue {
  const nodes: QueueNode[] = [];
  const foreignNodes: string[] = [];
  let bytes = 0;
  let hasModes = false;
  for (const name of children) {
    bytes += LENGTH_BYTES + name.length;
    const node = parseQueueNode(name);
    if (node === undefined) foreignNodes.push(name);
    else {
      nodes.push(node);
      hasModes ||= node.mode !== undefined;
    }
  }
  nodes.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return {
    nodes,
    foreignNodes,
    bytes,
    ...(hasModes && { modes: new QueueModes(nodes.map(({ mode }) => mode)) }),
  };
}

/** A contender's position in a listing. */
export type QueuePosition =
  /** It may hold: alone, with the readers beside it, or with its permits. */
  | {
      readonly kind: 'first';
      readonly readers?: Readers | undefined;
      readonly otherOf?: number | undefined;
    }
  | { readonly kind: 'behind'; readonly predecessor: QueueNode; readonly ahead: number }
  /** The first of those that wait for permits. */
  | { readonly kind: 'short'; readonly ahead: number; readonly otherOf: number }
  /** The contender's node does not exist. */
  | { readonly kind: 'absent' };

/** Finds the position of `own`. */
export function positionOf(own: QueueNode, { nodes, modes }: Queue): QueuePosition {
  const ahead = nodesAhead(own, nodes);
  if (!isAt(ahead, own, nodes)) return { kind: 'absent' };
  if (modes !== undefined && own.mode !== undefined) return positionInMode(ahead, nodes, modes);
  const predecessor = nodes[ahead - 1];
  return predecessor === undefined ? { kind: 'first' } : { kind: 'behind', predecessor, ahead };
}

function positionInMode(
  ahead: number,
  nodes: readonly QueueNode[],
  modes: QueueModes,
): QueuePosition {
  const place = modes.placeOf(ahead);
  if (place.kind === 'short') return { ...place, ahead };
  const at = place.kind === 'first' ? place.lastReader : place.index;
  const [front, node] = [nodes[0], nodes[at ?? -1]];
  if (place.kind === 'first' && at === undefined) return place;
  if (front === undefined || node === undefined) return { kind: 'absent' };
  if (place.kind === 'first') return { kind: 'first', readers: { first: front, last: node } };
  return { kind: 'behind', predecessor: node, ahead };
}

/** A binary search, since thousands may search one listing. */
function nodesAhead(own: QueueNode, nodes: readonly QueueNode[]): number {
  let from = 0;
  let to = nodes.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const node = nodes[middle];
    if (node !== undefined && isBefore(node, own)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Nodes that were made by hand may have the same number. */
function isAt(from: number, { name, sequence }: QueueNode, nodes: readonly QueueNode[]): boolean {
  for (let i = from; nodes[i]?.sequence === sequence; i++) {
    if (nodes[i]?.name === name) return true;
  }
  return false;
}

/** The number of contenders in front that hold, or are about to. */
export function holdersAhead({ nodes, modes }: Queue): number {
  return modes?.holders ?? Math.min(1, nodes.length);
}
