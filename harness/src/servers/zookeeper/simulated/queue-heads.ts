import type { ServerHold } from '../../../sim/schedule/holds.ts';
import type { Transaction } from './transaction-log.ts';
import type { Tree } from './tree.ts';

/** The owner of the first node in one queue of one server. */
interface Head {
  readonly server: string;
  /** Undefined if no client opened the session. */
  readonly client: string | undefined;
  /** True time. */
  readonly fromMs: number;
}

interface FirstNode {
  readonly path: string;
  readonly number: string;
  readonly client: string | undefined;
}

/** ZooKeeper's sequence numbers have ten digits, so they sort as texts. */
const SEQUENCE = /\d{10}$/;

/**
 * Records the owner of every queue's first node on every server, as each server applies what was committed. States that
 * a server passes through within one instant, as it catches up, are left out.
 */
export class QueueHeads {
  readonly #ended: ServerHold[] = [];
  readonly #firstNodes = new Map<string, Map<string, FirstNode>>();
  /** By server and queue, the latest change last. */
  readonly #heads = new Map<string, Head>();
  readonly #clientOf: (session: bigint) => string | undefined;
  readonly #nowMs: () => number;

  constructor(nowMs: () => number, clientOf: (session: bigint) => string | undefined) {
    this.#nowMs = nowMs;
    this.#clientOf = clientOf;
  }

  get all(): readonly ServerHold[] {
    const heads = Array.from(this.#heads.values());
    return [
      ...this.#ended,
      ...heads.flatMap((head) => spanOf(head, Number.POSITIVE_INFINITY, undefined)),
    ];
  }

  /** A server has applied `entry`, or has another tree, or is down. */
  update(server: string, tree: Tree | undefined, entry: Transaction | undefined): void {
    const before = this.#firstNodes.get(server) ?? new Map<string, FirstNode>();
    const now = this.#firstNodesOf(tree);
    this.#firstNodes.set(server, now);
    for (const container of new Set([...before.keys(), ...now.keys()])) {
      const firstNode = now.get(container);
      if (before.get(container)?.path === firstNode?.path) continue;
      const queue = `${server} ${container}`;
      this.#end(queue, howOf(tree, entry));
      if (firstNode === undefined) continue;
      this.#heads.set(queue, { server, client: firstNode.client, fromMs: this.#nowMs() });
    }
  }

  #end(queue: string, end: ServerHold['end']): void {
    const head = this.#heads.get(queue);
    this.#heads.delete(queue);
    if (head !== undefined) this.#ended.push(...spanOf(head, this.#nowMs(), end));
  }

  #firstNodesOf(tree: Tree | undefined): Map<string, FirstNode> {
    const firstNodes = new Map<string, FirstNode>();
    for (const [path, { owner }] of tree?.nodes ?? []) {
      const number = SEQUENCE.exec(path)?.[0];
      if (owner === undefined || number === undefined) continue;
      const container = path.slice(0, path.lastIndexOf('/'));
      const first = firstNodes.get(container);
      if (first !== undefined && first.number < number) continue;
      firstNodes.set(container, { path, number, client: this.#clientOf(owner.id) });
    }
    return firstNodes;
  }
}

/**
 * A transaction without a waiter is the leader's own: it ends an expired session. A server that is down has no end to
 * report.
 */
function howOf(tree: Tree | undefined, entry: Transaction | undefined): ServerHold['end'] {
  if (tree === undefined) return undefined;
  const isExpiry = entry?.change.kind === 'closeSession' && entry.waiter === undefined;
  return isExpiry ? 'expired' : 'released';
}

function spanOf(
  { server, client, fromMs }: Head,
  untilMs: number,
  end: ServerHold['end'],
): readonly ServerHold[] {
  if (client === undefined || fromMs === untilMs) return [];
  return [{ server, client, fromMs, untilMs, end }];
}
