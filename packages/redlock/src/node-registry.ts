import { ConfigError, callDeadlineMs, type Host } from '@holdfast/core';
import {
  checkNode,
  describeNode,
  type NodeDescription,
  outcomeOf,
  requireMaster,
  UnexpectedReply,
} from '@holdfast/redis';
import { NodeReplyError, NodeUnavailable, type RedisNode, type Reply } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import { listKey } from './keys.ts';
import { INTRODUCE } from './scripts/introduce.ts';
import { reportNode } from './store.ts';

/** A list that nobody uses any more is forgotten after a day; whoever opens with it reminds the nodes. */
const NODE_LIST_TTL_MS = 86_400_000;

/** What a node was when it was looked at. */
interface SeenNode {
  readonly runId: string | undefined;
  /** By then; what is connected to later may be another server. */
  readonly connections: number | undefined;
}

interface NodeCheck {
  readonly deadlineMs: number;
  readonly done: Promise<void>;
}

/**
 * Which nodes may vote: those that have been seen to be masters, and each to be another server. A node that was down
 * when the backend was opened, or has connected anew, is looked at before its next vote: a server that is listed twice,
 * say behind two proxies, would vote twice, and two majorities would no longer share a node. That a server has restarted
 * looks the same, and is no reason to refuse it.
 */
export class NodeRegistry {
  readonly #nodes: readonly RedisNode[];
  readonly #host: Host;
  readonly #namespace: string;
  readonly #seen = new Map<RedisNode, SeenNode>();
  readonly #checks = new Map<RedisNode, NodeCheck>();
  /** Why a node may not vote that is the same server as another. */
  readonly #duplicates = new Map<RedisNode, string>();
  /** Of every start of a server, the node that it was first seen to be. */
  readonly #nodeByRun = new Map<string, RedisNode>();
  readonly #warned = new Set<string>();

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
      this.#nodes.map(async (node) => {
        const description = await checkNode(node, this.#host, NAME);
        return description && { node, seen: seenNow(node, description) };
      }),
    );
    for (const each of described) if (each !== undefined) this.#register(each.node, each.seen);
    await Promise.all([...this.#seen.keys()].map((node) => this.#storeFingerprint(node)));
  }

  /** Whether a node has been looked at since it connected, and may vote. */
  has(node: RedisNode): boolean {
    const seen = this.#seen.get(node);
    return seen !== undefined && seen.connections === node.connections;
  }

  /** Why a node may not vote, where it is the same server as another. */
  duplicate(node: RedisNode): string | undefined {
    return this.#duplicates.get(node);
  }

  /** Looks at a node that is not known as it is now. @throws NodeUnavailable where it may not vote; NodeReplyError */
  admit(node: RedisNode, deadlineMs: number): Promise<void> {
    const check = this.#checks.get(node);
    // After an outage all who wait come at once; one that was cut short says nothing to who has more time.
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

  /** Looks at a node that has connected anew, while nobody waits for it; never rejects. */
  async recheck(node: RedisNode): Promise<void> {
    await this.ensureAdmitted(node).catch(() => undefined);
  }

  /** What the node was when it was last looked at: differs between servers and between starts of one. */
  runOf(node: RedisNode): string | undefined {
    return this.#seen.get(node)?.runId;
  }

  /**
   * Whether a node may say that a vote is gone which it gave as `run`. It may where it has restarted, and not where its
   * address leads to the server of another by now.
   */
  gaveVote(node: RedisNode, run: string | undefined): boolean {
    const now = this.runOf(node);
    return this.has(node) && (now === run || (this.#hasRun(node, now) && this.#hasRun(node, run)));
  }

  /** The same, of an answer that has just come, with a look at the node where that is needed; never rejects. */
  async provesVoteGone(
    node: RedisNode,
    run: string | undefined,
    deadlineMs: number,
  ): Promise<boolean> {
    const { connections } = node;
    if (!this.has(node)) await this.admit(node, deadlineMs).catch(() => undefined);
    // What was looked at may be behind a later connection than what has answered.
    return this.gaveVote(node, run) && node.connections === connections;
  }

  /** @throws NodeUnavailable for an answer that counts for nothing: it came from the server of another, or from nobody knows which */
  async ensureAdmitted(node: RedisNode): Promise<void> {
    if (!this.has(node)) await this.admit(node, this.#operatorDeadlineMs());
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
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new NodeUnavailable(message, cause);
    }
    const isOther = before === undefined || before.runId !== this.#seen.get(node)?.runId;
    if (isOther) void this.#storeFingerprint(node);
  }

  /** The node that was this server may be another one by now, as when two have changed places. */
  async #suspectDuplicate(node: RedisNode, { runId }: SeenNode, deadlineMs: number): Promise<void> {
    const duplicate = this.#duplicateOf(node, runId);
    if (duplicate === undefined) return;
    const again = await describeNode(duplicate, { deadlineMs }).catch(() => undefined);
    if (again?.runId !== runId) this.#seen.delete(duplicate);
  }

  /** @throws ConfigError where it is the same server as another */
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

  /** Also where a server does not tell who it is. */
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

  /** Compares our list of nodes with the one that other clients left there; never rejects. */
  async #storeFingerprint(node: RedisNode): Promise<void> {
    const list = this.#nodes
      .map(({ address }) => address)
      .toSorted()
      .join(' ');
    const options = { deadlineMs: this.#operatorDeadlineMs() };
    const args = [list, `${NODE_LIST_TTL_MS}`];
    try {
      const storedList = await node.script(INTRODUCE, [listKey(this.#namespace)], args, options);
      if (!isNodeList(storedList)) throw new UnexpectedReply(INTRODUCE.name, storedList);
      if (storedList !== list) this.#warnOfList(node, storedList, list);
    } catch (cause) {
      reportNode(this.#host, node, { outcome: outcomeOf(cause), cause });
    }
  }

  /** Once for each list, not for each node. */
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

  #operatorDeadlineMs(): number {
    return this.#host.runtime.now().monotonicMs + callDeadlineMs(undefined);
  }
}

/** Addresses have a port, or are a path. */
function isNodeList(reply: Reply): reply is string {
  return typeof reply === 'string' && reply.split(' ').every((each) => /[:/]/.test(each));
}

/** To be called as the description comes: its replies came on the latest connection. */
function seenNow(node: RedisNode, { runId }: NodeDescription): SeenNode {
  return { runId, connections: node.connections };
}
