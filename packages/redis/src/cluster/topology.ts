import { UnexpectedReply } from '../outcome.ts';
import type { Reply } from '../port.ts';
import { isInteger } from '../shapes.ts';
import type { HostPort } from './host-port.ts';
import { SLOTS } from './slot.ts';

/** Some slots and the address of their master. */
interface SlotRange {
  readonly from: number;
  /** The last one. */
  readonly to: number;
  readonly address: string;
}

/** The address of the master of each slot. Ranges, because clusters have few, and 16 384 entries take a millisecond to make. */
class SlotOwners {
  readonly #ranges: readonly SlotRange[];
  readonly #moved = new Map<number, string>();

  /** @param ranges do not overlap */
  constructor(ranges: readonly SlotRange[]) {
    this.#ranges = ranges;
  }

  /** Returns undefined if no master serves the slot. */
  of(slot: number): string | undefined {
    return this.#moved.get(slot) ?? this.#inRange(slot);
  }

  move(slot: number, address: string): void {
    this.#moved.set(slot, address);
  }

  /** The number of slots that no master serves. */
  get unserved(): number {
    const served = this.#ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    const found = [...this.#moved.keys()].filter((slot) => this.#inRange(slot) === undefined);
    return SLOTS - served - found.length;
  }

  #inRange(slot: number): string | undefined {
    return this.#ranges.find(({ from, to }) => from <= slot && slot <= to)?.address;
  }
}

/** Which node serves which slot, as one node of the cluster sees it. */
export interface Topology {
  readonly owners: SlotOwners;
  readonly masters: readonly string[];
  readonly replicas: readonly string[];
  /** The ids of all these nodes: two views of one cluster share at least one of them. */
  readonly ids: ReadonlySet<string>;
}

/**
 * Reads the reply to CLUSTER SLOTS: ranges, each with its master and then its replicas.
 * @param addressOf translates a place, whose host is empty if the node that replied does not know its own
 * @throws UnexpectedReply
 */
export function parseSlots(reply: Reply, addressOf: (place: HostPort) => string): Topology {
  const ranges: SlotRange[] = [];
  const masters = new Set<string>();
  const replicas = new Set<string>();
  const ids = new Set<string>();
  for (const range of listOf(reply)) {
    const [from, to, ...nodes] = listOf(range);
    if (!isInteger(from) || !isInteger(to)) throw new UnexpectedReply('CLUSTER SLOTS', reply);
    for (const [at, node] of nodes.entries()) {
      const { place, id } = nodeIn(node);
      const address = addressOf(place);
      ids.add(id);
      (at === 0 ? masters : replicas).add(address);
      if (at === 0) ranges.push({ from, to, address });
    }
  }
  const owners = new SlotOwners(ranges);
  return { owners, masters: [...masters], replicas: [...replicas], ids };
}

/** Reads host, port and id of a node. A cluster whose endpoints are unknown replies null for the host, or `?`. */
function nodeIn(node: Reply): { readonly place: HostPort; readonly id: string } {
  const [host, port, id] = listOf(node);
  if (!isInteger(port) || typeof id !== 'string') throw new UnexpectedReply('CLUSTER SLOTS', node);
  return { place: { host: typeof host === 'string' && host !== '?' ? host : '', port }, id };
}

function listOf(reply: Reply): readonly Reply[] {
  if (Array.isArray(reply)) return reply;
  throw new UnexpectedReply('CLUSTER SLOTS', reply);
}

/** True if no node is in both: two views of different clusters. */
export function isForeign(ids: ReadonlySet<string>, known: ReadonlySet<string>): boolean {
  return known.size > 0 && ![...ids].some((id) => known.has(id));
}
