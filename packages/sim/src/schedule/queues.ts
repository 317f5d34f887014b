import type { Transaction } from '../zookeeper/transaction.ts';
import type { Tree } from '../zookeeper/tree.ts';

/** Who stands first in a queue as one server of an ensemble has it, until that server's next. */
export interface QueueHead {
  readonly server: string;
  /** True time. */
  readonly atMs: number;
  /** The node that the queue stands below. */
  readonly container: string;
  /** Whose node is the first; undefined where nobody stands, or the server is down. */
  readonly client: string | undefined;
  /** What became of the one before. */
  readonly how?: 'expired' | 'deleted' | 'down' | undefined;
}

interface Front {
  readonly path: string;
  readonly number: string;
  readonly client: string | undefined;
}

/** ZooKeeper's sequence numbers have ten digits, so that their order is that of texts. */
const SEQUENCE = /\d{10}$/;

/** Writes down whom every server of an ensemble has at the head of its queues, as it applies what was committed. */
export class Queues {
  readonly all: QueueHead[] = [];
  readonly #fronts = new Map<string, Map<string, Front>>();
  readonly #clientOf: (session: bigint) => string | undefined;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number, clientOf: (session: bigint) => string | undefined) {
    this.#nowMs = nowMs;
    this.#clientOf = clientOf;
  }

  /** A server has applied `entry`, or has another tree, or has none. */
  look(server: string, tree: Tree | undefined, entry: Transaction | undefined): void {
    const before = this.#fronts.get(server) ?? new Map<string, Front>();
    const now = this.#frontsOf(tree);
    this.#fronts.set(server, now);
    for (const container of new Set([...before.keys(), ...now.keys()])) {
      const [old, front] = [before.get(container), now.get(container)];
      if (old?.path === front?.path) continue;
      const how = old === undefined ? undefined : howOf(tree, entry);
      this.all.push({ server, atMs: this.#nowMs(), container, client: front?.client, how });
    }
  }

  #frontsOf(tree: Tree | undefined): Map<string, Front> {
    const fronts = new Map<string, Front>();
    for (const [path, { owner }] of tree?.nodes ?? []) {
      const number = SEQUENCE.exec(path)?.[0];
      if (owner === undefined || number === undefined) continue;
      const container = path.slice(0, path.lastIndexOf('/'));
      const first = fronts.get(container);
      if (first !== undefined && first.number < number) continue;
      fronts.set(container, { path, number, client: this.#clientOf(owner.id) });
    }
    return fronts;
  }
}

/** Nobody waits for what a leader does by itself: it ends sessions whose time is over. */
function howOf(tree: Tree | undefined, entry: Transaction | undefined): QueueHead['how'] {
  if (tree === undefined) return 'down';
  const isExpiry = entry?.change.kind === 'closeSession' && entry.waiter === undefined;
  return isExpiry ? 'expired' : 'deleted';
}
