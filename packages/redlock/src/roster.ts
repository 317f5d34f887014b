import { ConfigError, callDeadlineMs, type Host } from '@holdfast/core';
import {
  checkNode,
  describeNode,
  type NodeDescription,
  outcomeOf,
  requireMaster,
} from '@holdfast/redis';
import { NodeReplyError, NodeUnavailable, type RedisNode } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import { listKey } from './keys.ts';
import { INTRODUCE } from './scripts/introduce.ts';
import { reportNode } from './store.ts';

/** A list that nobody uses any more is forgotten after a day; whoever opens with it reminds the nodes. */
const LIST_MS = 86_400_000;

/**
 * Which nodes may vote: those that have been seen to be masters, and each to be another server. A node that was down
 * when the backend was opened is looked at before its first vote, because a server that is listed twice, say behind two
 * proxies, would vote twice, and two majorities would no longer share a node.
 */
export class Roster {
  readonly #nodes: readonly RedisNode[];
  readonly #host: Host;
  readonly #namespace: string;
  readonly #admitted = new Set<RedisNode>();
  readonly #runIds = new Map<string, RedisNode>();
  readonly #otherLists = new Set<string>();

  constructor(nodes: readonly RedisNode[], host: Host, namespace: string) {
    this.#nodes = nodes;
    this.#host = host;
    this.#namespace = namespace;
  }

  /**
   * Looks at all nodes, on opening; one that cannot be reached is warned of, and looked at later.
   * @throws ConfigError where one cannot keep locks, is listed twice, or does not let us in
   */
  async open(): Promise<void> {
    const described = await Promise.all(
      this.#nodes.map((node) => checkNode(node, this.#host, NAME)),
    );
    for (const [at, node] of this.#nodes.entries()) {
      const description = described[at];
      if (description !== undefined) this.#enter(node, description);
    }
    await Promise.all([...this.#admitted].map((node) => this.#introduce(node)));
  }

  /** Whether a node has been looked at, and may vote. */
  has(node: RedisNode): boolean {
    return this.#admitted.has(node);
  }

  /** Looks at a node that has not been. @throws NodeUnavailable where it may not vote; NodeReplyError */
  async admit(node: RedisNode, deadlineMs: number): Promise<void> {
    try {
      const description = await describeNode(node, { deadlineMs });
      requireMaster(description, node.address);
      this.#enter(node, description);
    } catch (cause) {
      if (cause instanceof NodeReplyError) throw cause;
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new NodeUnavailable(message, cause);
    }
    void this.#introduce(node);
  }

  #enter(node: RedisNode, { runId }: NodeDescription): void {
    const twin = runId === undefined ? undefined : this.#runIds.get(runId);
    if (twin !== undefined && twin !== node) {
      const message = `${NAME}: ${twin.address} and ${node.address} are one and the same server, which would vote twice`;
      throw new ConfigError(message, { backend: NAME });
    }
    if (runId !== undefined) this.#runIds.set(runId, node);
    this.#admitted.add(node);
  }

  /** Compares our list of nodes with the one that other clients left there; never rejects. */
  async #introduce(node: RedisNode): Promise<void> {
    const list = this.#nodes
      .map(({ address }) => address)
      .toSorted()
      .join(' ');
    const deadlineMs = this.#host.runtime.now().monotonicMs + callDeadlineMs(undefined);
    const args = [list, `${LIST_MS}`];
    try {
      const known = await node.script(INTRODUCE, [listKey(this.#namespace)], args, { deadlineMs });
      if (typeof known === 'string' && known !== list) this.#warn(node, known, list);
    } catch (cause) {
      reportNode(this.#host, node, { outcome: outcomeOf(cause), cause });
    }
  }

  /** Once for each list, not for each node. */
  #warn(node: RedisNode, known: string, list: string): void {
    if (this.#otherLists.has(known)) return;
    this.#otherLists.add(known);
    const message = `${node.address} is used with another list of nodes: ${known}, where ours is ${list}; majorities of two lists may have no node in common, so that both grant the same lock`;
    this.#host.emit({ type: 'warning', backend: NAME, code: 'node-list', message });
  }
}
