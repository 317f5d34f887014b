import { ConfigError } from '@holdfast/core';
import { type Host } from '@holdfast/core/backend';
import {
  checkNode,
  describeNode,
  evictionOf,
  expectReply,
  messageOf,
  type NodeDescription,
  operatorCallOptions,
  outcomeOf,
  type RedisSource,
  requireMaster,
} from '@holdfast/redis';
import { NodeReplyError, NodeUnavailable, type RedisNode, type Reply } from '@holdfast/redis/port';
import { NAME, RIGHTS } from './identity.ts';
import { INTRODUCE } from './scripts.ts';
import { listKey, reportNode } from './store.ts';

/** A list that is no longer used expires after a day; every client that opens with it stores it again. */
const NODE_LIST_TTL_MS = 86_400_000;

/** A node as it was when it was checked. */
interface SeenNode {
  readonly runId: string | undefined;
  /** The number of connections by then; a later connection may lead to another server. */
  readonly connections: number | undefined;
}

interface NodeCheck {
  readonly deadlineMs: number;
  readonly done: Promise<void>;
}

/**
 * The nodes that may vote: those that the registry has checked to be masters, each of them another server. It checks a
 * node that was down when the backend was opened, or has connected anew, before the node's next vote. Else a server that
 * is listed twice, for example behind two proxies, would vote twice, and two majorities would no longer share a node. A
 * server that has restarted looks like another one, and is admitted.
 */
export class NodeRegistry {
  readonly #nodes: readonly RedisNode[];
  readonly #host: Host;
  readonly #namespace: string;
  readonly #seen = new Map<RedisNode, SeenNode>();
  readonly #checks = new Map<RedisNode, NodeCheck>();
  /** For each node that may not vote, because it is the same server as another: the reason. */
  readonly #duplicates = new Map<RedisNode, string>();
  /** For every run of a server, the node that it was first seen as. */
  readonly #nodeByRun = new Map<string, RedisNode>();
  readonly #warned = new Set<string>();
  #evicts: string | false | undefined;

  constructor(nodes: readonly RedisNode[], host: Host, namespace: string) {
    this.#nodes = nodes;
    this.#host = host;
    this.#namespace = namespace;
  }

  /**
   * Checks all nodes, on opening. Warns of a node that cannot be reached, and checks it later.
   * @param sources those of the nodes, in order, if the backend has opened them
   * @throws ConfigError if one cannot keep locks, is listed twice, or refuses access
   */
  async open(sources: readonly RedisSource[] = []): Promise<void> {
    const described = await Promise.all(
      this.#nodes.map(async (node, at) => {
        const source = sources[at];
        const own =
          source === undefined ? undefined : { source, rights: RIGHTS, namespace: this.#namespace };
        const description = await checkNode(node, this.#host, { backend: NAME, own });
        const seen = description && seenNow(node, description);
        return { node, seen, eviction: evictionOf(description, node.address) };
      }),
    );
    for (const { node, seen } of described) if (seen !== undefined) this.#register(node, seen);
    this.#evicts = described.flatMap(({ eviction }) => eviction || []).join('; ') || false;
    await Promise.all([...this.#seen.keys()].map((node) => this.#storeFingerprint(node)));
  }

  /** See `Backend.evicts`; of all nodes when they were opened, since each may be one of a majority. */
  get evicts(): string | false | undefined {
    return this.#evicts;
  }

  /** True if a node has been checked since it connected, and may vote. */
  has(node: RedisNode): boolean {
    const seen = this.#seen.get(node);
    return seen !== undefined && seen.connections === node.connections;
  }

  /** Returns the reason why a node may not vote, if it is the same server as another. */
  duplicate(node: RedisNode): string | undefined {
    return this.#duplicates.get(node);
  }

  /** Checks a node whose present connection is not known. @throws NodeUnavailable if it may not vote; NodeReplyError */
  admit(node: RedisNode, deadlineMs: number): Promise<void> {
    const check = this.#checks.get(node);
    // After an outage all waiters come at once. A check that ran out of time proves nothing to one that has more.
    if (check !== undefined && check.deadlineMs <= deadlineMs)
      return check.done.catch((cause: unknown) => {
        if (!this.#hasPassed(check.deadlineMs) || this.#hasPassed(deadlineMs)) throw cause;
        return this.admit(node, deadlineMs);
      });
    const done = this.#check(node, deadlineMs).finally(() => {
      if (this.#checks.get(node)?.done === done) this.#checks.delete(node);
    });
    this.#checks.set(node, { deadlineMs, done });
    return done;
  }

  /** Checks a node that has connected anew, in the background; never rejects. */
  async recheck(node: RedisNode): Promise<void> {
    await this.ensureAdmitted(node).catch(() => undefined);
  }

  /** Returns the run of the server as of the latest check: it differs between servers and between starts of one. */
  runOf(node: RedisNode): string | undefined {
    return this.#seen.get(node)?.runId;
  }

  /**
   * True if a node's reply proves that a vote is gone that it gave as `run`. It does if the server has restarted, and does
   * not if the address leads to another node's server by now.
   */
  gaveVote(node: RedisNode, run: string | undefined): boolean {
    const now = this.runOf(node);
    return this.has(node) && (now === run || (this.#hasRun(node, now) && this.#hasRun(node, run)));
  }

  /** Checks {@link gaveVote} for a reply that has just come, after a check of the node if needed; never rejects. */
  async provesVoteGone(
    node: RedisNode,
    run: string | undefined,
    deadlineMs: number,
  ): Promise<boolean> {
    const { connections } = node;
    if (!this.has(node)) await this.admit(node, deadlineMs).catch(() => undefined);
    // The check may have used a later connection than the reply.
    return this.gaveVote(node, run) && node.connections === connections;
  }

  /** @throws NodeUnavailable if a reply does not count: it came from another node's server, or from an unknown one */
  async ensureAdmitted(node: RedisNode): Promise<void> {
    if (!this.has(node)) await this.admit(node, operatorCallOptions(this.#host).deadlineMs);
  }

  async #check(node: RedisNode, deadlineMs: number): Promise<void> {
    const before = this.#seen.get(node);
    try {
      const description = await describeNode(node, { deadlineMs });
      const seen = seenNow(node, description);
      requireMaster(description, node.address);
      await this.#suspectDuplicate(node, seen, deadlineMs);
      this.#register(node, seen);
    } catch (cause) {
      const duplicate = this.#duplicates.get(node);
      if (duplicate !== undefined) this.#warn('same-server', duplicate);
      if (cause instanceof NodeReplyError) throw cause;
      throw new NodeUnavailable(messageOf(cause), cause);
    }
    const isOther = before === undefined || before.runId !== this.#seen.get(node)?.runId;
    if (isOther) void this.#storeFingerprint(node);
  }

  /** Forgets a node that was this server and is another one by now, for example because two have swapped addresses. */
  async #suspectDuplicate(node: RedisNode, { runId }: SeenNode, deadlineMs: number): Promise<void> {
    const duplicate = this.#duplicateOf(node, runId);
    if (duplicate === undefined) return;
    const again = await describeNode(duplicate, { deadlineMs }).catch(() => undefined);
    if (again?.runId !== runId) this.#seen.delete(duplicate);
  }

  /** @throws ConfigError if it is the same server as another */
  #register(node: RedisNode, seen: SeenNode): void {
    this.#seen.delete(node);
    const duplicate = this.#duplicateOf(node, seen.runId);
    if (duplicate !== undefined) throw this.#duplicateError(node, duplicate);
    this.#warned.delete(this.#duplicates.get(node) ?? '');
    this.#duplicates.delete(node);
    this.#seen.set(node, seen);
    const { runId } = seen;
    if (runId !== undefined && !this.#nodeByRun.has(runId)) this.#nodeByRun.set(runId, node);
  }

  /** True also for a server that does not report its run. */
  #hasRun(node: RedisNode, run: string | undefined): boolean {
    return run === undefined || this.#nodeByRun.get(run) === node;
  }

  #duplicateOf(node: RedisNode, runId: string | undefined): RedisNode | undefined {
    if (runId === undefined) return undefined;
    return this.#nodes.find((each) => each !== node && this.#seen.get(each)?.runId === runId);
  }

  #duplicateError(node: RedisNode, duplicate: RedisNode): ConfigError {
    const why = `${duplicate.address} and ${node.address} are one and the same server, which would vote twice`;
    this.#duplicates.set(node, why);
    return new ConfigError(`${NAME}: ${why}`, { backend: NAME });
  }

  /** Compares our list of nodes with the one that other clients stored there; never rejects. */
  async #storeFingerprint(node: RedisNode): Promise<void> {
    const list = this.#nodes
      .map(({ address }) => address)
      .toSorted()
      .join(' ');
    const options = operatorCallOptions(this.#host);
    const args = [list, `${NODE_LIST_TTL_MS}`];
    try {
      const reply = await node.script(INTRODUCE, [listKey(this.#namespace)], args, options);
      const storedList = expectReply(INTRODUCE.name, reply, isNodeList);
      if (storedList !== list) this.#warnOfList(node, storedList, list);
    } catch (cause) {
      reportNode(this.#host, node, { outcome: outcomeOf(cause), cause });
    }
  }

  /** Warns once for each list, not for each node. */
  #warnOfList(node: RedisNode, storedList: string, list: string): void {
    const message = `${node.address} is used with another list of nodes: ${storedList}, where this client has ${list}; majorities of two lists may have no node in common, so that both grant the same lock`;
    this.#warn('node-list', message, storedList);
  }

  #warn(code: string, message: string, subject: string = message): void {
    if (this.#warned.has(subject)) return;
    this.#warned.add(subject);
    this.#host.emit({ type: 'warning', backend: NAME, code, message });
  }

  #hasPassed(deadlineMs: number): boolean {
    return this.#host.runtime.now().monotonicMs >= deadlineMs - 1;
  }
}

/** True for a list of addresses, each of which has a port or is a path. */
function isNodeList(reply: Reply): reply is string {
  return typeof reply === 'string' && reply.split(' ').every((each) => /[:/]/.test(each));
}

/** Call it as soon as the description comes: its replies came on the latest connection. */
function seenNow(node: RedisNode, { runId }: NodeDescription): SeenNode {
  return { runId, connections: node.connections };
}
