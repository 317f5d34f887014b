import type { Runtime } from '@holdfast/core';
import { NodeUnavailable } from '../port.ts';
import type { MemberNode } from './routing.ts';

/** The time that a node that is no master stays open after its last use: a seed, a replica, or the target of a slot. */
const IDLE_MS = 10_000;

interface Member {
  readonly node: MemberNode;
  usedMs: number;
}

/** The nodes of a cluster that are open, by their addresses; each is opened when it is first used. */
export class MemberPool {
  readonly #runtime: Runtime;
  readonly #open: (address: string) => MemberNode;
  readonly #members = new Map<string, Member>();
  readonly #closing = new Set<Promise<void>>();
  #masters: ReadonlySet<string> = new Set();
  #cancelSweep: (() => void) | undefined;
  #isClosed = false;

  constructor(runtime: Runtime, open: (address: string) => MemberNode) {
    this.#runtime = runtime;
    this.#open = open;
  }

  /** @throws NodeUnavailable if the pool is closed, or the client library rejects the address */
  get(address: string): MemberNode {
    const usedMs = this.#runtime.now().monotonicMs;
    const known = this.#members.get(address);
    if (known !== undefined) {
      known.usedMs = usedMs;
      return known.node;
    }
    if (this.#isClosed) throw new NodeUnavailable(`${address}: the node was closed`);
    let node: MemberNode;
    try {
      node = this.#open(address);
    } catch (cause) {
      throw new NodeUnavailable(`${address}: cannot be opened`, cause);
    }
    this.#members.set(address, { node, usedMs });
    return node;
  }

  /** Keeps masters open; every other node is closed once it has been idle. */
  keep(masters: Iterable<string>): void {
    this.#masters = new Set(masters);
    this.#sweep();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    for (const address of Array.from(this.#members.keys())) this.#end(address);
    await Promise.all(this.#closing);
  }

  #sweep(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    const idleSinceMs = this.#runtime.now().monotonicMs - IDLE_MS;
    const others = Array.from(this.#members).filter(([address]) => !this.#masters.has(address));
    for (const [address, { usedMs }] of others) if (usedMs <= idleSinceMs) this.#end(address);
    if (this.#isClosed || others.length === 0) return;
    this.#cancelSweep = this.#runtime.timer(IDLE_MS, () => this.#sweep());
  }

  #end(address: string): void {
    const member = this.#members.get(address);
    if (member === undefined) return;
    this.#members.delete(address);
    const closing = member.node.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
