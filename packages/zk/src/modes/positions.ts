import type { QueueNode, QueuePosition } from '../queue.ts';

/** What the modes in a listing mean for those behind them, found once for all contenders that share the listing. */
export interface ModesOfQueue {
  /** At each index: the index of the last node up to it that is no reader; −1 if all are readers. */
  readonly lastOther: readonly number[];
  /** The index of the first node that is no holder of permits, or for which there are too few. */
  readonly firstUnfit: number;
  /** At each index below `firstUnfit`, and at it: the smallest number of permits that a node up to it knows of. */
  readonly smallestOf: readonly number[];
}

export function modesOf(nodes: readonly QueueNode[]): ModesOfQueue {
  const lastOther: number[] = [];
  const smallestOf: number[] = [];
  let firstUnfit = nodes.length;
  let smallest = Number.POSITIVE_INFINITY;
  let used = 0;
  for (const [i, { mode }] of nodes.entries()) {
    lastOther.push(mode?.kind === 'shared' ? (lastOther[i - 1] ?? -1) : i);
    if (firstUnfit < i) continue;
    if (mode?.kind === 'permits') {
      used += mode.permits;
      smallest = Math.min(smallest, mode.of);
    }
    smallestOf.push(smallest);
    if (mode?.kind !== 'permits' || used > smallest) firstUnfit = i;
  }
  return { lastOther, firstUnfit, smallestOf };
}

/** A reader waits for the last node in front that is no reader, and only for that one. */
export function positionOfReader(
  index: number,
  nodes: readonly QueueNode[],
  { lastOther }: ModesOfQueue,
): QueuePosition {
  const before = lastOther[index - 1] ?? -1;
  const predecessor = nodes[before];
  if (predecessor !== undefined) return { kind: 'behind', predecessor, ahead: index };
  const next = lastOther.findIndex((at, i) => i > index && at === i);
  const [first, last] = [nodes[0], nodes.at(next < 0 ? -1 : next - 1)];
  if (first === undefined || last === undefined) return { kind: 'absent' };
  return { kind: 'first', readers: { first, last } };
}

/**
 * A holder of permits has a place in front of which all fit, and fits itself. Who is in front counts whether or not it was
 * granted yet, so those that want few never pass one that wants many.
 */
export function positionOfPermits(
  index: number,
  nodes: readonly QueueNode[],
  { firstUnfit, smallestOf }: ModesOfQueue,
): QueuePosition {
  if (index < firstUnfit) return { kind: 'first', smallestOf: smallestOf[index] };
  const predecessor = nodes[index - 1];
  if (index === firstUnfit || predecessor === undefined)
    return {
      kind: 'short',
      ahead: index,
      smallestOf: smallestOf[index] ?? Number.POSITIVE_INFINITY,
    };
  return { kind: 'behind', predecessor, ahead: index };
}

/** How the key is used by a node in front, if a contender of this mode must not wait for that. */
export function otherModeAhead(
  wanted: 'shared' | 'exclusive' | 'permits',
  index: number,
  nodes: readonly QueueNode[],
): 'shared' | 'permits' | undefined {
  const other = wanted === 'permits' ? 'shared' : 'permits';
  for (let i = 0; i < index; i++) if (nodes[i]?.mode?.kind === other) return other;
  return undefined;
}
