import type { Runtime } from '../runtime.ts';
import type { MemoryStore } from './store.ts';

/**
 * How the in-memory backend reaches its store: directly, or, in the simulator, over a network that delays. `label`
 * is the name under which the simulator can stall the caller.
 */
export interface MemoryLink {
  call<T>(label: string, effect: () => T): T | Promise<T>;
  /** Brings something from the store to the caller's process. */
  deliver(label: string, run: () => void): void;
}

/** In the same process, at once. */
const directLink: MemoryLink = {
  call: (_label, effect) => effect(),
  deliver: (_label, run) => run(),
};

/** No reply came in time; `late` still settles when it comes. */
export class NoReply extends Error {
  override readonly name = 'NoReply';
  readonly reply: Promise<unknown>;

  constructor(label: string, reply: Promise<unknown>) {
    super(`the store did not answer '${label}' in time`);
    this.reply = reply;
  }
}

/** The store as one process sees it. */
export class MemoryClient {
  readonly #store: MemoryStore;
  readonly #link: MemoryLink;
  readonly #runtime: Runtime;

  constructor(store: MemoryStore, runtime: Runtime, link: MemoryLink = directLink) {
    this.#store = store;
    this.#runtime = runtime;
    this.#link = link;
  }

  /** One call that settles by `deadlineMs` of the monotonic clock. @throws NoReply */
  call<T>(label: string, deadlineMs: number, effect: (store: MemoryStore) => T): T | Promise<T> {
    const reply = this.#link.call(label, () => effect(this.#store));
    return reply instanceof Promise ? this.#byDeadline(deadlineMs, label, reply) : reply;
  }

  /** Calls `listener` whenever `key` has been given up; returns its removal. */
  subscribe(key: string, listener: () => void): () => void {
    return this.#store.subscribe(key, () => this.#link.deliver('freed', listener));
  }

  #byDeadline<T>(deadlineMs: number, label: string, reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const leftMs = deadlineMs - this.#runtime.now().monotonicMs;
      const giveUp = (): void => reject(new NoReply(label, reply));
      const cancel = this.#runtime.timer(leftMs, giveUp, { awaited: true });
      reply.finally(cancel).then(resolve, reject);
    });
  }
}
