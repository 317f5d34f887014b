/** The contenders of one key, as the names of their nodes tell. Pure. */

/** `‹contender id›-lock-‹sequence›`; the sequence is printed by `%010d`, negative ones with their sign. */
const NAME = /^(.+)-lock-(-?\d{9,10})$/;
const INT32_MAX = 2 ** 31 - 1;
/** A name of a listing on the wire: its length, and ASCII. */
const LENGTH_BYTES = 4;

/** A contender's place. */
export interface QueueNode {
  readonly name: string;
  readonly contender: string;
  readonly sequence: number;
}

/** The name of a contender's node, to which the server appends the sequence. */
export function prefixOf(contender: string): string {
  return `${contender}-lock-`;
}

/** Undefined for the name of anything that is not a contender. */
export function parseQueueNode(name: string): QueueNode | undefined {
  const [, contender, digits] = NAME.exec(name) ?? [];
  if (contender === undefined || digits === undefined) return undefined;
  const sequence = Number(digits);
  if (sequence > INT32_MAX || sequence < -INT32_MAX - 1) return undefined;
  return { name, contender, sequence };
}

/**
 * Whether `a` came before `b`. The server counts in 32 signed bits, so 2 147 483 647 is followed by −2 147 483 648.
 * Compared by their difference in 32 bits (RFC 1982) the order outlives that, as long as no contender waits while
 * 2³¹ others come.
 */
export function isBefore(a: QueueNode, b: QueueNode): boolean {
  return ((a.sequence - b.sequence) | 0) < 0;
}

/** What a listing says. */
export interface Queue {
  /** The contenders, first come first. */
  readonly nodes: readonly QueueNode[];
  /** Children that are no contenders. */
  readonly foreignNodes: readonly string[];
  /** How long the listing is on the wire. */
  readonly bytes: number;
}

/** The children of a container in order. Each name is read once, for all contenders that share the listing. */
export function queueOf(children: readonly string[]): Queue {
  const nodes: QueueNode[] = [];
  const foreignNodes: string[] = [];
  let bytes = 0;
  for (const name of children) {
    bytes += LENGTH_BYTES + name.length;
    const node = parseQueueNode(name);
    if (node === undefined) foreignNodes.push(name);
    else nodes.push(node);
  }
  nodes.sort((a, b) => (isBefore(a, b) ? -1 : 1));
  return { nodes, foreignNodes, bytes };
}

/** What a listing says about a contender's own place. */
export type QueuePosition =
  | { readonly kind: 'first' }
  | { readonly kind: 'behind'; readonly predecessor: QueueNode; readonly ahead: number }
  /** Its node does not stand there. */
  | { readonly kind: 'absent' };

/** Where `own` stands. */
export function positionOf(own: QueueNode, { nodes }: Queue): QueuePosition {
  const ahead = nodesAhead(own, nodes);
  if (!isAt(ahead, own, nodes)) return { kind: 'absent' };
  const predecessor = nodes[ahead - 1];
  return predecessor === undefined ? { kind: 'first' } : { kind: 'behind', predecessor, ahead };
}

/** By halves, since thousands may look at one listing. */
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

/** Whoever made nodes by hand may have used a number twice. */
function isAt(from: number, { name, sequence }: QueueNode, nodes: readonly QueueNode[]): boolean {
  for (let i = from; nodes[i]?.sequence === sequence; i++) {
    if (nodes[i]?.name === name) return true;
  }
  return false;
}
