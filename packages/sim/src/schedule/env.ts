import type { MemoryLink, MemoryStore } from '@holdfast/core';
import type { RedisNode } from '@holdfast/redis/port';
import type { SubjectEnv } from './subject.ts';

/**
 * What a lock finds in one client's process. A class, because V8 keeps the getters of an object literal in tables of its
 * own, and with them the whole run, beyond all young collections: that took a quarter of a search's time.
 */
export class ClientEnv implements SubjectEnv {
  readonly nodes: readonly RedisNode[];
  readonly store: MemoryStore;
  readonly link: MemoryLink;
  readonly #lock: string;

  constructor(lock: string, { nodes, store, link }: Omit<SubjectEnv, 'node'>) {
    this.nodes = nodes;
    this.store = store;
    this.link = link;
    this.#lock = lock;
  }

  get node(): RedisNode {
    const [first] = this.nodes;
    if (first !== undefined) return first;
    throw new Error(`${this.#lock} asks for a node, and says that it uses none`);
  }
}
